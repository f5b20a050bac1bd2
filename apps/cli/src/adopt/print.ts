import { countOf } from "../count.ts";
import type { AdoptionOutcome, AdoptionRow } from "./rows.ts";

const headings: Readonly<Record<AdoptionOutcome, string>> = {
  blocking: "Blocks the take-over until you delete it",
  restarted: "Changed, with a restart of pods",
  deleted: "Deleted",
  created: "Created",
  changed: "Changed, without a restart",
  kept: "Taken over; pods are kept",
  taken: "Taken over unchanged",
  left: "Left alone",
};

/** How many fields of an object are named; all are in the JSON. */
const shownFields = 6;

export function printAdoption(rows: readonly AdoptionRow[], policy: string): string {
  if (rows.length === 0) return "No objects of an upstream operator found; nothing to take over\n";
  const groups = Map.groupBy(rows, ({ outcome }) => outcome);
  const parts = [...groups].map(([outcome, all]) => [`${headings[outcome]} (${all.length})`, ...all.map(line)]);
  const restarts = rows.reduce((sum, { restarts: pods = 0 }) => sum + pods, 0);
  const end = `${countOf(rows.length, "object")}, ${countOf(restarts, "pod")} to restart; the operator does this with --adopt=${policy}`;
  return `${[...parts.map((lines) => lines.join("\n")), end].join("\n\n")}\n`;
}

function line({ kind, namespace, name, manager, why, fields, restarts }: AdoptionRow): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const author = manager === "" ? "" : ` (from ${manager})`;
  const more = fields.length > shownFields ? ` and ${fields.length - shownFields} more` : "";
  const changed = fields.length === 0 ? [] : [`${fields.slice(0, shownFields).join(", ")}${more}`];
  const pods = restarts === undefined ? [] : [countOf(restarts, "pod")];
  const notes = [...(why === undefined ? [] : [why]), ...pods, ...changed];
  return `  ${kind} ${place}${author}${notes.length === 0 ? "" : `: ${notes.join("; ")}`}`;
}
