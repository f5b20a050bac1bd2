import type { DownloadProgress } from "@trivium/domain";
import { formatProgress } from "@trivium/engines";
import type { CachePass } from "../health/cache-pass.ts";
import type { CacheState } from "../health/cache-state.ts";

/** Why the cache is where it is: reason and message of its conditions. */
export interface Headline {
  readonly reason: string;
  readonly message: string;
}

export function headlineOf(
  { cache, claimName, allowed }: Pick<CachePass, "cache" | "claimName" | "allowed">,
  state: CacheState,
  progress: DownloadProgress | undefined,
): Headline {
  const { sourceUri } = cache.spec;
  switch (state.is) {
    case "measuring":
      return {
        reason: "MeasuringSize",
        message: faultOf(state, allowed) ?? `Resolving the size of ${sourceUri}`,
      };
    case "queueing":
      return { reason: "WaitingForRoom", message: state.why };
    case "claiming":
    case "reclaiming":
      return {
        reason: "WaitingForPVC",
        message: state.why ?? `Waiting for a volume for PersistentVolumeClaim ${claimName}`,
      };
    case "fetching":
      return {
        reason: "Downloading",
        message:
          faultOf(state, allowed) ??
          `Downloading ${sourceUri}${progress === undefined ? "" : `: ${formatProgress(progress)}`}`,
      };
    case "backoff":
      return {
        reason: "RetryBackoff",
        message: `${state.fault.message} (attempt ${state.attempt} of ${allowed}; retrying automatically)`,
      };
    case "full":
      return { reason: "Warm", message: "The weights are cached" };
    case "rechecking":
    case "stuck":
      return { reason: state.fault.reason, message: state.fault.message };
  }
}

/** What an attempt fails by, or the one before it. */
function faultOf({ attempt, fault }: Extract<CacheState, { is: "measuring" | "fetching" }>, allowed: number) {
  if (fault === undefined) return undefined;
  return attempt === 1 ? fault.message : `${fault.message} (attempt ${attempt} of ${allowed} is running)`;
}
