export { checkVolume, provideVolume } from "./check-volume.ts";
export { parseDigest, parseListedBytes, parseProgress } from "./download-log.ts";
export { type DownloadCount, planProgress } from "./download-progress.ts";
export { followTasks, type TaskContext } from "./follow-tasks.ts";
export { formatProgress } from "./format-progress.ts";
export { keepProgress } from "./keep-progress.ts";
export { type ObservedVolume, observeVolume, volumeReads } from "./observe-volume.ts";
export { attemptsInARow, planRetry, restartAttempts } from "./plan-retry.ts";
export { type CacheWeight, planSpace, type SpaceGrant, type SpacePlan } from "./plan-space.ts";
