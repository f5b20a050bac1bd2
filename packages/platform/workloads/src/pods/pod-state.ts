import { findCondition, type Pod } from "@trivium/kube";
import { type Instant, type Millis, parseTime } from "@trivium/std";

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;

export const isFinished = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

/** Neither at its end nor on its way there. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

export const isReady = ({ status }: Pod): boolean => findCondition(status?.conditions, "Ready")?.status === "True";

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

/** Since when a pod is ready; nothing when it is not. */
export function readySince({ status }: Pod): Instant | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  return ready?.status === "True" ? parseTime(ready.lastTransitionTime ?? "") : undefined;
}

/** When a ready pod counts as available: at once, or after it was ready for some seconds. Nothing for one that is not ready. */
export function availableAt(pod: Pod, minReadySeconds: number): Instant | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return Number.NEGATIVE_INFINITY;
  const since = readySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1_000;
}

export function isAvailable(pod: Pod, minReadySeconds: number, now: Instant): boolean {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && at <= now;
}

/** How long until the next of the pods becomes available by the mere passing of time. */
export function untilNextAvailable(pods: readonly Pod[], minReadySeconds: number, now: Instant): Millis | undefined {
  let next: Instant | undefined;
  for (const pod of pods) {
    const at = availableAt(pod, minReadySeconds);
    if (at !== undefined && at > now && (next === undefined || at < next)) next = at;
  }
  return next === undefined ? undefined : next - now;
}
