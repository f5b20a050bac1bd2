import type { DownloadProgress } from "@trivium/domain";

/** Progress that grows faster than a percent in this time is reported this often. */
const seconds = 10;
/** Rates swing: only a download that takes this many times longer than reported is corrected before its percent is over. */
const tooLate = 8;

/**
 * The progress to report: the last one reported while it still holds, else the new one. Downloads report every few seconds, and each new
 * report writes a status and the status of every object that repeats it.
 */
export function keepProgress(reported: DownloadProgress | undefined, now: DownloadProgress): DownloadProgress {
  return reported !== undefined && stillHolds(reported, now) ? reported : now;
}

function stillHolds(reported: DownloadProgress, now: DownloadProgress): boolean {
  if (reported.bytesTotal !== now.bytesTotal) return false;
  if (now.bytesTotal === undefined) return firstDigits(reported.bytesDone) === firstDigits(now.bytesDone);
  const grown = (now.percent ?? 0) - (reported.percent ?? 0);
  const step = Math.max(1, (100 * (now.bytesPerSecond ?? 0) * seconds) / now.bytesTotal);
  if (grown < 0 || grown >= step) return false;
  const { secondsLeft } = now;
  // Without a reported time none is missed; only the first report comes before any rate is known.
  if (reported.secondsLeft === undefined) return secondsLeft === undefined || reported.bytesDone > 0;
  return secondsLeft !== undefined && secondsLeft <= tooLate * reported.secondsLeft + seconds;
}

/** Without a size a report changes with the first digit of its amount, in units of 1024. */
function firstDigits(bytes: number): string {
  const power = Math.floor(Math.log2(Math.max(bytes, 1)) / 10);
  const value = bytes / 1024 ** power;
  const digit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return `${power}:${digit}:${Math.floor(value / digit)}`;
}
