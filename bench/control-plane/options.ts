import { parseArgs } from "node:util";

/** What a run of this measurement is about. */
export interface BenchOptions {
  readonly dialects: readonly string[];
  /** How many services are created at once; a run each. */
  readonly services: readonly number[];
  /** Another operator to measure instead of ours; it finds the cluster by `$KUBECONFIG`. */
  readonly operator?: string;
  /** How long the idle system is observed, in seconds. */
  readonly idle: number;
  /** How long one step can take before it is given up, in seconds. */
  readonly limit: number;
}

export const dialectNames: readonly string[] = ["llmkube", "aim", "ome"];

/** Reads the command line; throws with the option at fault. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dialects: { type: "string", default: dialectNames.join(",") },
      services: { type: "string", default: "100" },
      operator: { type: "string" },
      idle: { type: "string", default: "60" },
      limit: { type: "string", default: "300" },
    },
  });
  const dialects = values.dialects.split(",");
  const unknown = dialects.find((name) => !dialectNames.includes(name));
  if (unknown !== undefined) throw new Error(`--dialects=${unknown} is unknown; available: ${dialectNames.join(", ")}`);
  return {
    dialects,
    services: values.services.split(",").map((text) => wholeNumber("services", text)),
    ...(values.operator === undefined ? {} : { operator: values.operator }),
    idle: wholeNumber("idle", values.idle),
    limit: wholeNumber("limit", values.limit),
  };
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`--${option}=${text} is not a whole number from 1 to 99999`);
  return Number(text);
}
