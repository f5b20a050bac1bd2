import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Difference } from "./compare.ts";
import type { Step } from "./sequence.ts";

/** Differences on purpose that can show in any answer. Each speaks for a row of docs/embedded-api.md. */
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

export function rowFor(difference: Omit<Difference, "row">, step: Step): string | undefined {
  return rules.find((rule) => rule.covers(difference, step))?.row;
}

const page = join(import.meta.dirname, "../../../../../docs/embedded-api.md");

/** The ids in the first column of the table. */
export function readRows(): string[] {
  const lines = readFileSync(page, "utf8").split("\n");
  return lines.flatMap((line) => /^\| `([a-z-]+)` \|/.exec(line)?.[1] ?? []);
}
