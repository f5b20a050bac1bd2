import type { ModelShape, SizedAdapter } from "@trivium/domain";
import type { WeightShare } from "./weights.ts";

/** Adapters are loaded in half precision. */
const elementBytes = 2;

/** Two thin matrices for each changed one: rank × (its inputs + its outputs), in every layer. */
export function adapterBytes(adapters: readonly SizedAdapter[], shape: ModelShape): WeightShare {
  let elements = 0;
  for (const { rank, targets } of adapters) {
    for (const target of targets) elements += rank * widthOf(target, shape) * shape.layers;
  }
  return {
    bytes: elements * elementBytes,
    how: `${adapters.length} adapters, ${elements} numbers × ${elementBytes} B`,
  };
}

function widthOf(target: string, shape: ModelShape): number {
  const { hiddenSize, intermediateSize = 4 * hiddenSize } = shape;
  const group = shape.attention.find((each) => each.kind === "full" || each.kind === "window");
  const [kvHeads, length] = group === undefined ? [0, 0] : [group.kvHeads, group.keyLength];
  if (/(^|\.)(k|v)_proj$/.test(target)) return hiddenSize + kvHeads * length;
  if (/(^|\.)(q|o)_proj$/.test(target)) return hiddenSize + (shape.heads * length || hiddenSize);
  if (/gate|up_proj|down_proj|fc|mlp|^w[123]$/.test(target)) return hiddenSize + intermediateSize;
  return 2 * hiddenSize;
}
