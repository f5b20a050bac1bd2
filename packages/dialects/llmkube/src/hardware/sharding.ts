import type { Model } from "../kinds/model.ts";

/** How llama.cpp divides a model over GPUs, and what of the wish could not be met. */
export interface Sharding {
  readonly splitMode: "layer" | "row" | "none";
  /** Shares of the GPUs; nothing when one GPU has all. */
  readonly tensorSplit?: string;
  readonly warnings: readonly ShardingWarning[];
}

export interface ShardingWarning {
  readonly reason: "PipelineFallback" | "LayerSplitIgnored";
  readonly message: string;
}

/** Only for more than one GPU. */
export function planSharding(model: Model, count: number): Sharding | undefined {
  if (count <= 1) return undefined;
  const { strategy = "layer", layerSplit } = model.spec.hardware?.gpu?.sharding ?? {};
  if (strategy === "none") return { splitMode: "none", warnings: [] };
  const shares = sharesOf(layerSplit ?? [], count);
  const warnings: ShardingWarning[] = [];
  if (strategy === "pipeline") {
    const message = "llama.cpp does not support sharding.strategy pipeline; layer is used instead";
    warnings.push({ reason: "PipelineFallback", message });
  }
  if (shares === undefined) {
    const message = `sharding.layerSplit needs one range, such as 0-15, for each of the ${count} GPUs; the layers are split evenly`;
    warnings.push({ reason: "LayerSplitIgnored", message });
  }
  return {
    splitMode: strategy === "tensor" || strategy === "row" ? "row" : "layer",
    tensorSplit: (shares ?? new Array<number>(count).fill(1)).join(","),
    warnings,
  };
}

/** The layers of each GPU in their smallest whole numbers; nothing where the ranges do not say it. */
function sharesOf(ranges: readonly string[], count: number): number[] | undefined {
  if (ranges.length === 0) return new Array<number>(count).fill(1);
  if (ranges.length !== count) return undefined;
  const counts = ranges.map((range) => {
    const [, first = "", last = ""] = /^(\d{1,6})-(\d{1,6})$/.exec(range.trim()) ?? [];
    return first === "" ? 0 : Number(last) - Number(first) + 1;
  });
  if (counts.some((layers) => layers < 1)) return undefined;
  const divisor = counts.reduce(greatestDivisor);
  return counts.map((layers) => layers / divisor);
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
