/** Bytes of memory where a model may be put. */
export interface Memory {
  /** Each accelerator that takes part; all of one kind. Empty for the processor alone. */
  readonly devices: readonly MemoryPool[];
  /** What the processor has; absent means that nobody asked. */
  readonly host?: MemoryPool;
}

export interface MemoryPool {
  readonly name: string;
  readonly bytes: number;
  /** What is requested of a node, where the user states it, and the most that one node offers. */
  readonly request?: { readonly bytes: number; readonly offered: number };
}

/** One summand of what a model needs, with the way it was computed, so that a person can check it. */
export interface MemoryTerm {
  readonly what: "weights" | "cache" | "state" | "adapters" | "compute" | "reserve";
  readonly bytes: number;
  /** The multiplication in words, such as `32 layers × 8192 tokens × 4096 B`. */
  readonly how: string;
}

/** What lies in one place. */
export interface MemoryShare {
  readonly place: "device" | "host";
  /** How many devices carry the same. */
  readonly times: number;
  readonly terms: readonly MemoryTerm[];
  readonly bytes: number;
  /** What is there; absent when nobody said. */
  readonly available?: number;
}

/** Element types that keys and values are kept in. */
export type CacheType =
  | "f32"
  | "f16"
  | "bf16"
  | "fp8"
  | "q8_0"
  | "q5_1"
  | "q5_0"
  | "q4_1"
  | "q4_0"
  | "iq4_nl"
  | "turbo3"
  | "turbo4";

export type SizingAnswer =
  | { readonly is: "sized"; readonly fits: Fits; readonly shares: readonly MemoryShare[]; readonly bytes: number }
  | { readonly is: "impossible"; readonly why: string };

export type Fits = "yes" | "no" | "unknown";
