import type { DownloadProgress } from "@trivium/domain";

/** What a download counts. */
export interface DownloadCount {
  readonly bytes: number;
  readonly total?: number | undefined;
  /** Bytes per second. */
  readonly rate?: number | undefined;
  readonly files?: DownloadProgress["files"];
}

/** Percent and time left follow from the counts. A total that is smaller than what arrived is not one. */
export function planProgress({ bytes, total, rate, files }: DownloadCount): DownloadProgress {
  const bytesDone = countOf(bytes) ?? 0;
  const bytesTotal = countOf(total) || undefined;
  const bytesPerSecond = countOf(rate);
  const secondsLeft = timeLeft({ bytesDone, bytesTotal, bytesPerSecond });
  return {
    ...(files === undefined ? {} : { files }),
    bytesDone,
    ...(bytesTotal === undefined ? {} : { bytesTotal, percent: percentOf(bytesDone, bytesTotal) }),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    ...(secondsLeft === undefined ? {} : { secondsLeft }),
  };
}

const percentOf = (bytes: number, total: number): number => Math.min(100, Math.floor((100 * bytes) / total));

function timeLeft({ bytesDone, bytesTotal, bytesPerSecond = 0 }: DownloadProgress): number | undefined {
  const rest = (bytesTotal ?? 0) - bytesDone;
  return bytesPerSecond > 0 && rest > 0 ? Math.ceil(rest / bytesPerSecond) : undefined;
}

const countOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
