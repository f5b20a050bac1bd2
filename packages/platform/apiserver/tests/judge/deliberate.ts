import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Difference } from "./compare.ts";
import type { Step } from "./sequence.ts";

/** Differences on purpose that can show in any answer. Each speaks for a row of docs/internals/embedded-api.md. */
interface Rule {
  readonly row: string;
  covers(difference: Omit<Difference, "row">, step: Step): boolean;
}

/** Where the comparison notes causes that the real server gives more than once. */
export const repeatedCauses = "body.details.causes (repeated)";

/** Marks of Go's own words in a message: names of its types, its source files, its YAML parser, its store. */
const goWords = [
  "pkg/runtime/scheme.go",
  "unknown conversion",
  "*core.",
  "&value.valueUnstructured",
  "StorageError: ",
  "&user.DefaultInfo{",
  "yaml: line ",
  "yaml: unmarshal errors",
  "no kind is registered for the type",
  "\n@@ ",
];

/** A value printed with the field names of a Go struct, or as a Go map. */
const goValue = /value: [[{]+"[A-Z]|value: "map\[/;

const isGoSpeech = (message: string): boolean =>
  goValue.test(message) || goWords.some((word) => message.includes(word));

const rules: readonly Rule[] = [
  {
    row: "list-item-kind",
    covers: ({ at, real }) =>
      /^(body|events\[\d+\]\.object)\.items\[\d+\]\.(apiVersion|kind)$/.test(at) && real === undefined,
  },
  { row: "repeated-causes", covers: ({ at }) => at === repeatedCauses },
  {
    row: "column-descriptions",
    covers: ({ at, real, embedded }) =>
      /columnDefinitions\[\d+\]\.description$/.test(at) && (embedded === "" || String(real).length > 60),
  },
  {
    row: "go-words",
    covers: ({ at, real }) => /(^|\.)message$/.test(at) && typeof real === "string" && isGoSpeech(real),
  },
  {
    row: "no-nulls",
    covers: ({ at, real, embedded }) =>
      embedded === undefined && (real === null || /\.f:conditions\..*\.f:last\w+Time$/.test(at)),
  },
  {
    row: "no-protobuf",
    covers: ({ at, real }) => at === "body.message" && String(real).includes("application/vnd.kubernetes.protobuf"),
  },
  {
    row: "review-managers",
    covers: ({ at }, step) =>
      at === "body.metadata.managedFields" && step.is !== "collect" && step.path.includes("reviews"),
  },
  {
    row: "crd-at-once",
    covers: ({ at, real }, step) =>
      isOfDefinitions(step) &&
      (/^body\.(status\.(conditions|acceptedNames)|(.*\.)?metadata\.resourceVersion)/.test(at) || isOwnEntry(real)),
  },
];

const isOfDefinitions = (step: Step): boolean =>
  step.is !== "collect" && step.path.includes("/customresourcedefinitions");
const isOwnEntry = (entry: unknown): boolean =>
  (entry as { manager?: unknown } | undefined)?.manager === "kube-apiserver";

/** Sequences that show a difference on purpose: its row, and where in the answers it lies. */
const shownBy: Readonly<Record<string, { readonly row: string; readonly at: readonly string[] }>> = {
  "apply/after an empty list was written": { row: "empty-lists", at: ["body.metadata.generation"] },
  "basics/pod with a token": { row: "pod-token-volume", at: ["body.spec.volumes", "body.spec.containers"] },
  "binding/bad target": { row: "binding-errors", at: ["status"] },
  "built-in/daemon set: changes": { row: "daemon-set-annotation", at: ["body.metadata"] },
  "built-in/daemon set: least": { row: "daemon-set-annotation", at: ["body.metadata", "body.rows[0].object.metadata"] },
  "built-in/pod: wrong no such account": { row: "pod-references", at: ["status"] },
  "built-in/pod: wrong priority class": { row: "pod-references", at: ["status"] },
  "built-in/volume claim: changes": { row: "volume-protection", at: ["body.metadata"] },
  "built-in/volume claim: least": { row: "volume-protection", at: ["body.metadata", "body.rows[0].object.metadata"] },
  "built-in/volume claim: rich": { row: "volume-protection", at: ["body.metadata", "body.rows[0].object.metadata"] },
  "built-in/volume: least": { row: "volume-protection", at: ["body.metadata", "body.rows[0].object.metadata"] },
  "delete/foreground is carried out": { row: "controllers-inside", at: ["status"] },
  "dry run/service address": { row: "dry-run-allocation", at: ["body.spec"] },
  "forms/any application": { row: "accept-wildcards", at: ["status"] },
  "nodes/life": { row: "node-taint", at: ["body.spec.taints"] },
  "scale/faults": { row: "scale-forms", at: ["status"] },
  "scale/table": { row: "scale-forms", at: ["body"] },
  "status/metadata of PersistentVolumeClaim": { row: "volume-protection", at: ["body.metadata"] },
  "validation/keys twice": { row: "keys-twice", at: ["body.data", "body.metadata.managedFields"] },
  "versions/get": { row: "bad-versions", at: ["status"] },
  "versions/list exactly then": { row: "exact-lists", at: ["status"] },
  "watch/initial events as table": { row: "bookmark-rows", at: ["events[1].object.rows"] },
  "watch/version of a word": { row: "bad-versions", at: ["status"] },
};

/** The row of the table that speaks of a difference. */
export function rowFor(difference: Omit<Difference, "row">, step: Step, sequence: string): string | undefined {
  const { at } = difference;
  const covers = (place: string): boolean => at === place || at.startsWith(`${place}.`) || at.startsWith(`${place}[`);
  const shown = Object.hasOwn(shownBy, sequence) ? shownBy[sequence] : undefined;
  if (shown?.at.some(covers)) return shown.row;
  return rules.find((rule) => rule.covers(difference, step))?.row;
}

const page = join(import.meta.dirname, "../../../../../docs/internals/embedded-api.md");

/** The ids in the first column of the table. */
export function readRows(): string[] {
  const lines = readFileSync(page, "utf8").split("\n");
  return lines.flatMap((line) => /^\| `([a-z-]+)` \|/.exec(line)?.[1] ?? []);
}
