import type { Deployment } from "@trivium/kube";
import { scaledValue } from "../pods/int-or-percent.ts";

/** The largest number means that there is no limit. */
const unlimited = 2_147_483_647;

export const wantedOf = ({ spec }: Deployment): number => spec.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean =>
  (spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";

/** How many pods may be there beyond the wanted ones. */
export function maxSurgeOf(deployment: Deployment): number {
  return isRolling(deployment) ? fencepostsOf(deployment).surge : 0;
}

/** How many of the wanted pods may be missing. */
export function maxUnavailableOf(deployment: Deployment): number {
  const wanted = wantedOf(deployment);
  if (!isRolling(deployment) || wanted === 0) return 0;
  return Math.min(fencepostsOf(deployment).unavailable, wanted);
}

/** Where both come to nothing a rollout could never begin, so one pod may be missing. */
function fencepostsOf(deployment: Deployment): { surge: number; unavailable: number } {
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const wanted = wantedOf(deployment);
  const surge = scaledValue(maxSurge, wanted, "up");
  const unavailable = scaledValue(maxUnavailable, wanted, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Seconds that may pass without progress; nothing when nobody looks. */
export function progressDeadlineOf({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === unlimited ? undefined : seconds;
}

export function historyLimitOf({ spec }: Deployment): number | undefined {
  const { revisionHistoryLimit: limit } = spec;
  return limit === unlimited ? undefined : limit;
}
