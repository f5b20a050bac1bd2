import type { ModelShape, SizingRequest } from "@trivium/domain";
import { tokensKept } from "./cache.ts";
import type { WeightShare } from "./weights.ts";

/** Intermediate results are kept in this width. */
const wide = 4;
/** Copies of a batch's hidden states that live at once: input, residual, queries, keys, values, result. */
const hiddenCopies = 6;

/**
 * The largest moment of a pass: either the scores of all pairs of tokens or those over the vocabulary, with the mask and the
 * hidden states besides. An upper estimate: engines reuse buffers in ways that differ from release to release.
 */
export function computeBytes(request: SizingRequest, shape: ModelShape): WeightShare {
  const { style, slots, context, split } = request;
  if (style.attention === "none") return { bytes: 0, how: "part of the reserve" };
  const batch = Math.min(style.batch, Math.max(1, context * slots));
  const rows = style.logits === "batch" ? batch : slots;
  const logits = rows * (shape.vocabularySize ?? 0) * wide;
  const observed = Math.max(0, ...shape.attention.map((group) => tokensKept(group, context, style)));
  const isMatrix = style.attention === "matrix";
  const pairs = isMatrix ? (shape.heads / split.tensor) * batch * observed * wide : 0;
  const mask = batch * observed * (isMatrix ? wide : 2);
  const inner = (shape.intermediateSize ?? 0) / split.tensor;
  const hidden = batch * Math.max(hiddenCopies * shape.hiddenSize, 2 * shape.hiddenSize + 2 * inner) * wide;
  const largest = Math.max(logits, pairs);
  const how = `largest of scores over ${shape.vocabularySize ?? 0} words ${logits} B and over pairs ${pairs} B, mask ${mask} B, hidden states of ${batch} tokens ${hidden} B`;
  return { bytes: Math.ceil(largest + (style.logits === "batch" ? mask : 0) + hidden), how };
}
