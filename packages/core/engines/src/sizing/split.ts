import type { ModelShape, Split } from "@trivium/domain";

/** Why a model cannot be shared out like this, or undefined when it can. */
export function faultOfSplit({ tensor, pipeline }: Split, shape: ModelShape | undefined): string | undefined {
  if (!isCount(tensor) || !isCount(pipeline)) return "tensor and pipeline parallel sizes must be at least 1";
  if (shape === undefined) return undefined;
  if (pipeline > shape.layers) return `${shape.layers} layers cannot be split into ${pipeline} pipeline stages`;
  if (shape.heads > 0 && shape.heads % tensor !== 0)
    return `${shape.heads} attention heads cannot be split among ${tensor} devices; use ${divisors(shape.heads)}`;
  for (const group of shape.attention) {
    if (group.kind !== "full" && group.kind !== "window") continue;
    if (group.kvHeads % tensor !== 0 && tensor % group.kvHeads !== 0)
      return `${group.kvHeads} key-value heads can neither be split nor replicated evenly among ${tensor} devices`;
  }
  return undefined;
}

/**
 * The part of a group's key-value heads on one of the devices that share a layer. With fewer heads than devices each head is
 * repeated, so a device never holds less than one.
 */
export function kvShare(kvHeads: number, tensor: number): number {
  if (kvHeads === 0) return 1;
  return Math.max(1, Math.floor(kvHeads / tensor)) / kvHeads;
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}

function divisors(count: number): string {
  return Array.from({ length: Math.min(count, 16) }, (_, at) => at + 1)
    .filter((each) => count % each === 0)
    .join(", ");
}
