import type { TensorTotals } from "../weights/model-header.ts";
import type { ModelShape } from "../weights/model-shape.ts";
import type { CacheType, Memory } from "./memory.ts";

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
  readonly tensors?: Pick<TensorTotals, "blockBytes">;
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
  /** The token table is read by the processor, so it stays there; the table of the output is computed on the device in any case. */
  readonly keepsTokenTable?: true;
  /** Attention over heads that are shorter has no flash kernel for GPUs: the scores of all pairs are written, by libraries of the vendor. */
  readonly flashHeads?: { readonly shortest: number; readonly libraryBytes: number };
  /** What the engine takes on each device before anything is loaded. */
  readonly reserveBytes: number;
  /** Slots of the whole context that it opens where nobody says how many: so many at most, and as many as this much cache holds. */
  readonly freeSlots?: { readonly most: number; readonly cacheBytes: number };
}
