import type { DownloadProgress } from "@trivium/domain";
import { formatMemory } from "../sizing/summarize-memory.ts";

/** `1.4Gi of 2.9Gi (48%), 12.0Mi/s, about 113s left`; without a size `more than 3.0Gi`. */
export function formatProgress({ bytesDone, bytesTotal, percent, ...pace }: DownloadProgress): string {
  if (bytesTotal === undefined) return `more than ${roughly(bytesDone)}`;
  return `${formatMemory(bytesDone)} of ${formatMemory(bytesTotal)} (${percent ?? 0}%)${formatPace(pace)}`;
}

function formatPace({ bytesPerSecond = 0, secondsLeft }: Pick<DownloadProgress, "bytesPerSecond" | "secondsLeft">) {
  if (secondsLeft === undefined) return "";
  return `, ${formatMemory(bytesPerSecond)}/s, about ${formatSeconds(secondsLeft)} left`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  return seconds < 120 * 60 ? `${Math.ceil(seconds / 60)}m` : `${Math.ceil(seconds / 3600)}h`;
}

/** By its first digit, which seldom changes. */
function roughly(bytes: number): string {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(bytes, 1)) / 10);
  const digit = 10 ** Math.floor(Math.log10(Math.max(bytes / unit, 1)));
  return formatMemory(Math.floor(bytes / unit / digit) * digit * unit);
}
