import { type ContainerStatus, findCondition, type Job, type Pod } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const indexKey = "batch.kubernetes.io/job-completion-index";
export const failureCountKey = "batch.kubernetes.io/job-index-failure-count";
export const ignoredCountKey = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Not yet counted: the finalizer keeps a pod until it is. */
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) ?? false;

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === "Indexed";

/** Whether a pod that is on its way out is replaced only when it is over. */
export function waitsForEnd({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** A pod that is being deleted will hardly reach an end of its own, so it counts as failed unless the job wants to wait for it. */
export function hasFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status?.phase === "Failed") return true;
  return !waitsForEnd(job) && metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

export const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";

/** The index of a pod, if it has one that the job still has. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const text = metadata.annotations?.[indexKey];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  return Number(text) < (spec?.completions ?? 0) ? Number(text) : undefined;
}

/** Counts for the job at all: in an indexed one only with an index. */
export const isValid = (pod: Pod, job: Job): boolean => !isIndexed(job) || indexOf(pod, job) !== undefined;

export const countOf = ({ metadata }: Pod, key: string): number => Number(metadata.annotations?.[key] ?? 0) || 0;

export function finishedAt(pod: Pod): Instant {
  const { metadata, status } = pod;
  const ends = (status?.containerStatuses ?? []).map(endOf);
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...ends);
  const ready = findCondition(status?.conditions, "Ready");
  const unready = ready?.status === "False" ? parseTime(ready.lastTransitionTime ?? "") : undefined;
  if (unready !== undefined) return unready;
  const leaves = parseTime(metadata.deletionTimestamp ?? "");
  if (leaves !== undefined) return leaves - (metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  return parseTime(metadata.creationTimestamp ?? "") ?? 0;
}

const endOf = ({ state }: ContainerStatus): Instant | undefined => parseTime(state?.terminated?.finishedAt ?? "");
