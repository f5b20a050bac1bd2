import type { DownloadProgress } from "@trivium/domain";
import type { Instant } from "@trivium/std";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import type { ModelCache } from "../names/names.ts";
import type { ObservedModelCache } from "../observe.ts";

/** What one pass decides from; each value is computed once. */
export interface CachePass {
  readonly cache: ModelCache;
  readonly observed: ObservedModelCache;
  readonly settings: Settings;
  readonly options: AimOptions;
  readonly now: Instant;
  /** Number of the attempt that runs now. */
  readonly attempt: number;
  /** Attempts that are allowed. */
  readonly allowed: number;
  readonly claimName: string;
  /** Size of the weights; nothing while it is unknown. */
  readonly bytes: bigint | undefined;
  /** Size of the claim that they need. */
  readonly claimSize: string | undefined;
  /** What a running download reports. */
  readonly progress: DownloadProgress | undefined;
}
