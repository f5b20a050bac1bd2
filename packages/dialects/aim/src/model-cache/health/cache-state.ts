import type { PreparationStep } from "@trivium/domain";
import type { Millis } from "@trivium/std";
import type { DownloadFault } from "./classify.ts";

/** How far a cache is, and which try it is. */
export type CacheState = {
  readonly attempt: number;
  /** Tries that are allowed from now on, where that is news. */
  readonly allowed?: number;
} & (
  | { readonly is: "measuring"; readonly fault?: DownloadFault }
  /** The namespace has a budget, and it is not decided yet whether there is room. */
  | { readonly is: "queueing"; readonly why: string }
  | { readonly is: "claiming"; readonly why?: string }
  /** The claim goes, so that a larger one can come. */
  | { readonly is: "reclaiming"; readonly why: string }
  | { readonly is: "fetching"; readonly fault?: DownloadFault }
  | { readonly is: "backoff"; readonly fault: DownloadFault; readonly wait: Millis }
  | { readonly is: "full" }
  /** A file that was not on the node is looked for again: it counts as missing until it is found. */
  | { readonly is: "rechecking"; readonly of: PreparationStep; readonly fault: DownloadFault }
  /** Nothing more is tried until the object changes, or for this long. */
  | { readonly is: "stuck"; readonly fault: DownloadFault; readonly wait?: Millis | undefined }
);
