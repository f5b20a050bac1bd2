import { formatMemory, listCandidates, listMemory } from "@trivium/engines";
import type { Json } from "@trivium/std";
import { countOf } from "../count.ts";
import { formatTable } from "../get/table.ts";
import type { ChangedField, PlannedChange } from "./difference.ts";
import type { PlannedService, PlanSummary } from "./summary.ts";

const signs = { create: "+ create", change: "~ change", delete: "- delete" } as const;
/** More fields than this are a list that nobody reads. */
const maxFields = 12;

/** A plan for a person: what happens to which object, then each service, then what it takes and what is missing. */
export function printPlan(plan: PlanSummary): string {
  const { changes, services, downloads, claims, missing, unknown } = plan;
  const resources = [
    ...downloads.map(({ source, bytes, why }) =>
      row("download", `${source}  ${bytes === undefined ? `size unknown: ${why}` : formatMemory(bytes)}`),
    ),
    ...totalOf(plan),
    ...claims.map(({ name, size }) => row("claim", `PersistentVolumeClaim ${name}  ${size}`)),
  ];
  const sections = [
    changes.length === 0 ? [] : printChanges(changes),
    ...(changes.length === 0 ? [] : services.map(printService)),
    resources,
    missing.map((one) => row("missing", one)),
    unknown.map(({ about, why }) => row("unknown", `${about}: ${why}`)),
    [countsOf(changes)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const row = (name: string, text: string): string => `${name.padEnd(10)}${text}`;

function totalOf({ downloads }: PlanSummary): string[] {
  const bytes = downloads.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  const isComplete = downloads.every((one) => one.bytes !== undefined);
  return bytes === 0 ? [] : [row("disk", `${isComplete ? "" : "at least "}${formatMemory(bytes)} for the weights`)];
}

function printChanges(changes: readonly PlannedChange[]): string[] {
  const rows = changes.map((change) => [signs[change.action], placeOf(change), effectOf(change)]);
  const lines = formatTable(rows).trimEnd().split("\n");
  return changes.flatMap((change, at) => [lines[at] ?? "", ...fieldsOf(change)]);
}

const placeOf = ({ kind, namespace, name }: PlannedChange): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

const effectOf = ({ restarts }: PlannedChange): string =>
  restarts === undefined ? "" : `restarts ${countOf(restarts, "pod")}`;

function fieldsOf({ fields }: PlannedChange): string[] {
  const shown = fields
    .slice(0, maxFields)
    .map(({ path, from, to }) => `    ${path}: ${describeValue({ path, from, to })}`);
  const more = fields.length - shown.length;
  return more > 0 ? [...shown, `    and ${countOf(more, "more field")}; -o json shows them`] : shown;
}

function describeValue({ from, to }: ChangedField): string {
  if (from === undefined) return `added ${textOf(to)}`;
  return to === undefined ? `removed ${textOf(from)}` : `${textOf(from)} -> ${textOf(to)}`;
}

function textOf(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

function printService({ kind, namespace, name, choice, fit, diagnosis }: PlannedService): string[] {
  const candidates =
    choice === undefined ? [] : choice.candidates.length === 0 ? [choice.because] : listCandidates(choice);
  const lines = [
    ...(choice === undefined ? [] : [`  Selection of ${choice.of}`, ...candidates.map((line) => `    ${line}`)]),
    ...(fit === undefined ? [] : ["  Memory", ...listMemory(fit).map((line) => `    ${line}`)]),
    ...(diagnosis === undefined ? [] : [`  Not ready: ${diagnosis.cause}; ${diagnosis.remedy}`]),
  ];
  return lines.length === 0 ? [] : [`${kind} ${namespace}/${name}`, ...lines];
}

function countsOf(changes: readonly PlannedChange[]): string {
  if (changes.length === 0) return "nothing to do";
  const count = (action: PlannedChange["action"]): number => changes.filter((one) => one.action === action).length;
  const restarts = changes.reduce((sum, one) => sum + (one.restarts ?? 0), 0);
  return `${count("create")} to create, ${count("change")} to change, ${count("delete")} to delete, ${countOf(restarts, "pod")} to restart`;
}
