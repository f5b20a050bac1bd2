import type { DownloadProgress } from "@trivium/domain";
import { keepProgress } from "@trivium/engines";
import type { ModelCacheStatus } from "../names/names.ts";

type Reported = NonNullable<ModelCacheStatus["progress"]>;

/** The progress of a running download; what was reported before stands while it still holds. */
export function runningProgress(status: ModelCacheStatus | undefined, now: DownloadProgress): DownloadProgress {
  const before = status?.progress;
  return keepProgress(before === undefined ? undefined : reportedBefore(before), capped(now));
}

/** Never all of it before the download has ended: the files are verified afterwards. */
const capped = ({ percent, ...progress }: DownloadProgress): DownloadProgress =>
  percent === undefined ? progress : { ...progress, percent: Math.min(99, percent) };

const reportedBefore = (before: Reported): DownloadProgress => ({
  bytesDone: before.downloadedBytes ?? 0,
  ...(before.totalBytes === undefined ? {} : { bytesTotal: before.totalBytes }),
  ...(before.percentage === undefined ? {} : { percent: before.percentage }),
  ...(before.bytesPerSecond === undefined ? {} : { bytesPerSecond: before.bytesPerSecond }),
  ...(before.secondsLeft === undefined ? {} : { secondsLeft: before.secondsLeft }),
});

/** The fields of this API for it. */
export const progressStatus = (progress: DownloadProgress): Reported => {
  const { bytesDone, bytesTotal, percent, bytesPerSecond, secondsLeft } = progress;
  return {
    ...(bytesTotal === undefined ? {} : { totalBytes: bytesTotal }),
    downloadedBytes: bytesDone,
    ...(percent === undefined ? {} : { percentage: percent, displayPercentage: `${percent} %` }),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    ...(secondsLeft === undefined ? {} : { secondsLeft }),
  };
};
