export { type CacheBudget, parseCacheBudget } from "./cache-budget.ts";
export { parseDigest, parseListedBytes, parseProgress } from "./download-log.ts";
export { planProgress } from "./download-progress.ts";
export { formatProgress } from "./format-progress.ts";
export { keepProgress } from "./keep-progress.ts";
export { describeRefusedPath } from "./local-root.ts";
export { type ObservedVolume, observeVolume, volumeReads } from "./observe-volume.ts";
export { attemptsInARow } from "./plan-retry.ts";
export { type CacheWeight, planSpace, type SpaceGrant, type SpacePlan } from "./plan-space.ts";
