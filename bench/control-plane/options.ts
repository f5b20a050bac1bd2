import { parseArgs } from "node:util";
import type { Nodes } from "./fleets.ts";

/** What a run of this measurement is about. */
export interface BenchOptions {
  readonly dialects: readonly string[];
  /** How many services are created at once; a run each. */
  readonly services: readonly number[];
  /** Whether nodes run the pods; a run each. */
  readonly nodes: readonly Nodes[];
  /** Another operator to measure instead of ours; it finds the cluster by `$KUBECONFIG`. */
  readonly operator?: string;
  /** What tables call that operator; its command when left out. */
  readonly operatorName?: string;
  /** Parts of each run that are left out: thousands of services take long enough without them. */
  readonly without: readonly RunPart[];
  /** How long the idle system is observed, in seconds. */
  readonly idle: number;
  /** How long one step can take before it is given up, in seconds; by the number of services when left out. */
  readonly limit?: number;
  /** Where a plot of all runs is written. */
  readonly plot?: string;
  /** Where each run is written as soon as it has ended, beside those of earlier commands. */
  readonly results: string;
  /** Whether tables and plot of the documentation are written from all results. */
  readonly writeDocs: boolean;
  /** Nothing is measured: tables, plot and documentation are written from the results that exist. */
  readonly reportOnly: boolean;
}

/** What can be left out of a run: services that are created one by one, the edit of a shared object, the bare client. */
export type RunPart = "single" | "edit" | "bare";
const partNames: readonly RunPart[] = ["single", "edit", "bare"];

const dialectNames: readonly string[] = ["llmkube", "aim", "ome"];
const nodeNames: readonly Nodes[] = ["none", "staged"];

/** Reads the command line; throws with the option at fault. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dialects: { type: "string", default: dialectNames.join(",") },
      services: { type: "string", default: "100" },
      operator: { type: "string" },
      "operator-name": { type: "string" },
      idle: { type: "string", default: "60" },
      limit: { type: "string" },
      nodes: { type: "string", default: "none" },
      without: { type: "string" },
      plot: { type: "string" },
      results: { type: "string", default: "dist/bench/control-plane.json" },
      "write-docs": { type: "boolean", default: false },
      "report-only": { type: "boolean", default: false },
    },
  });
  return {
    dialects: oneOfEach("dialects", values.dialects, dialectNames),
    nodes: oneOfEach("nodes", values.nodes, nodeNames),
    without: values.without === undefined ? [] : oneOfEach("without", values.without, partNames),
    ...(values.plot === undefined ? {} : { plot: values.plot }),
    services: values.services.split(",").map((text) => wholeNumber("services", text)),
    ...(values.operator === undefined ? {} : { operator: values.operator }),
    ...(values["operator-name"] === undefined ? {} : { operatorName: values["operator-name"] }),
    results: values.results,
    writeDocs: values["write-docs"],
    reportOnly: values["report-only"],
    idle: wholeNumber("idle", values.idle),
    ...(values.limit === undefined ? {} : { limit: wholeNumber("limit", values.limit) }),
  };
}

function oneOfEach<T extends string>(option: string, text: string, known: readonly T[]): readonly T[] {
  const names = text.split(",");
  const unknown = names.find((name) => !(known as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--${option}=${unknown} is unknown; available: ${known.join(", ")}`);
  return names as T[];
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`--${option}=${text} is not a whole number from 1 to 99999`);
  return Number(text);
}
