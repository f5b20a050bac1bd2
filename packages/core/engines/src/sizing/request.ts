import type { CacheType, Memory, ModelShape, TensorTotals } from "@trivium/domain";

/** A model, the way it is to be served, and where: everything that memory depends on. */
export interface SizingRequest {
  readonly model: SizedModel;
  /** Tokens that one sequence may grow to. */
  readonly context: number;
  /** Sequences that are served at once. */
  readonly slots: number;
  readonly cache: CacheTypes;
  readonly split: Split;
  /** Layers that lie on the devices, counted from the last; absent for all. */
  readonly deviceLayers?: number;
  readonly adapters?: readonly SizedAdapter[];
  readonly style: ServingStyle;
  readonly memory: Memory;
}

export interface SizedModel {
  readonly weightBytes: number;
  /** Absent where no file told: then rules of thumb take its place. */
  readonly shape?: ModelShape;
  /** Makes layers exact instead of average. */
  readonly tensors?: TensorTotals;
  /** Tells how many bits a weight has now, so that smaller quantizations can be suggested. */
  readonly parameters?: number;
}

export interface CacheTypes {
  readonly key: CacheType;
  readonly value: CacheType;
}

/** Over how many devices: `tensor` shares every layer, `pipeline` shares the layers out. */
export interface Split {
  readonly tensor: number;
  readonly pipeline: number;
}

export interface SizedAdapter {
  readonly rank: number;
  /** Names of the matrices it changes, such as `q_proj`. */
  readonly targets: readonly string[];
}

/** What an engine does with memory besides weights and cache. Engines are rows of this table, not branches in the code. */
export interface ServingStyle {
  readonly name: string;
  /** Tokens computed at once. */
  readonly batch: number;
  /** Sequences are rounded up to so many tokens. */
  readonly cellPadding: number;
  /** Tokens that a window keeps besides itself. */
  readonly windowSlack: number;
  /** `matrix` writes scores of all pairs, `flash` does not, `none` leaves computing to the reserve. */
  readonly attention: "flash" | "matrix" | "none";
  /** Tokens whose scores over the whole vocabulary are kept at once. */
  readonly logits: "batch" | "slots";
  /** The part of a device that may be used. */
  readonly usable: number;
  /** What the engine takes on each device before anything is loaded. */
  readonly reserveBytes: number;
  /** Slots of the whole context that it opens where nobody says how many: so many at most, and as many as this much cache holds. */
  readonly freeSlots?: { readonly most: number; readonly cacheBytes: number };
}

const mebibyte = 1024 * 1024;

export const servingStyles = {
  /** llama.cpp: windows are kept with one batch besides, everything in steps of 256 tokens. */
  llamacpp: {
    name: "llama.cpp",
    batch: 512,
    cellPadding: 256,
    windowSlack: 512,
    attention: "flash",
    logits: "batch",
    usable: 1,
    reserveBytes: 300 * mebibyte,
  },
  /** The engine of one machine: as llama.cpp, but each slot has a cache of its own where nobody says how many there are. */
  local: {
    name: "llama.cpp",
    batch: 512,
    cellPadding: 256,
    windowSlack: 512,
    attention: "flash",
    logits: "batch",
    usable: 1,
    reserveBytes: 300 * mebibyte,
    freeSlots: { most: 4, cacheBytes: 1024 * mebibyte },
  },
  /** Engines that page their cache, such as vLLM and SGLang. */
  paged: {
    name: "paged",
    batch: 8192,
    cellPadding: 16,
    windowSlack: 16,
    attention: "flash",
    logits: "slots",
    usable: 0.9,
    reserveBytes: 1024 * mebibyte,
  },
  /** The rule of thumb of agents that admit models on a laptop: weights, cache, and half a gibibyte. */
  thumb: {
    name: "rule of thumb",
    batch: 0,
    cellPadding: 1,
    windowSlack: 0,
    attention: "none",
    logits: "slots",
    usable: 1,
    reserveBytes: 512 * mebibyte,
  },
} as const satisfies Readonly<Record<string, ServingStyle>>;
