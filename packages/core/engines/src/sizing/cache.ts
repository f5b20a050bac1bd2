import type { AttentionGroup, CacheType, CacheTypes, ServingStyle, SizingRequest } from "@trivium/domain";
import { assertNever } from "@trivium/std";

/** Bytes of one number; those of the q types carry the scale of their block of 32. */
export const cacheTypeBytes: Readonly<Record<CacheType, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 1.0625,
  fp8: 1,
  q5_1: 0.75,
  q5_0: 0.6875,
  q4_1: 0.625,
  q4_0: 0.5625,
  iq4_nl: 0.5625,
  turbo4: 0.53125,
  turbo3: 0.40625,
};

/** States are not quantized. */
const stateBytes = 4;

/** Bytes that all layers of a group keep for one token; what keeps a state keeps nothing for tokens. `share`: see `kvShare`. */
export function bytesPerToken(group: AttentionGroup, types: CacheTypes, share = 1): number {
  switch (group.kind) {
    case "full":
    case "window": {
      const key = group.keyLength * cacheTypeBytes[types.key];
      const value = group.valueLength * cacheTypeBytes[types.value];
      return group.layers * group.kvHeads * share * (key + value);
    }
    case "latent":
      return group.layers * group.length * cacheTypeBytes[types.key];
    case "recurrent":
      return 0;
    default:
      return assertNever(group);
  }
}

/** Tokens of one sequence that a group keeps, as an engine rounds them. */
export function tokensKept(group: AttentionGroup, context: number, style: ServingStyle): number {
  if (group.kind === "recurrent") return 0;
  const kept = group.kind === "window" ? Math.min(context, group.window + style.windowSlack) : context;
  return Math.ceil(kept / style.cellPadding) * style.cellPadding;
}

export interface CacheTerm {
  readonly bytes: number;
  readonly how: string;
}

/** What one group keeps for all sequences, on one of the devices that share its heads. */
export function cacheOf(group: AttentionGroup, request: SizingRequest, share: number): CacheTerm {
  const { context, slots, cache, style } = request;
  if (group.kind === "recurrent") {
    const bytes = group.layers * group.elements * stateBytes * slots;
    return { bytes, how: `${group.layers} layers × ${group.elements} numbers × ${stateBytes} B × ${slots} sequences` };
  }
  const tokens = tokensKept(group, context, style);
  const perToken = bytesPerToken(group, cache, group.kind === "latent" ? 1 : share);
  const bytes = Math.ceil(perToken * tokens * slots);
  return { bytes, how: `${describe(group, cache, share)} × ${tokens} tokens × ${slots} sequences` };
}

function describe(group: Exclude<AttentionGroup, { kind: "recurrent" }>, types: CacheTypes, share: number): string {
  if (group.kind === "latent")
    return `${group.layers} layers × ${group.length} compressed × ${cacheTypeBytes[types.key]} B (${types.key})`;
  const { layers, kvHeads, keyLength, valueLength } = group;
  const heads = `${layers} layers × ${kvHeads * share} key-value heads`;
  const [key, value] = [cacheTypeBytes[types.key], cacheTypeBytes[types.value]];
  const numbers =
    types.key === types.value && keyLength === valueLength
      ? `2 × ${keyLength} × ${key} B (${types.key})`
      : `(${keyLength} × ${key} B (${types.key}) + ${valueLength} × ${value} B (${types.value}))`;
  return `${heads} × ${numbers}${group.kind === "window" ? ` in a window of ${group.window}` : ""}`;
}
