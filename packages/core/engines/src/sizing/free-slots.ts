import type { ModelShape, ServingStyle } from "@trivium/domain";
import { bytesPerToken } from "./cache.ts";

const plain = { key: "f16", value: "f16" } as const;

/** How many slots an engine opens for a context where nobody says how many. One where it shares the context among all. */
export function countFreeSlots({ freeSlots }: ServingStyle, shape: ModelShape | undefined, context: number): number {
  if (freeSlots === undefined || shape === undefined) return 1;
  const perToken = shape.attention.reduce((sum, group) => sum + bytesPerToken(group, plain), 0);
  const held = Math.floor(freeSlots.cacheBytes / Math.max(1, perToken * context));
  return Math.min(freeSlots.most, Math.max(1, held));
}
