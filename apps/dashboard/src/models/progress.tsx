import type { DownloadProgress } from "@trivium/domain";
import { formatBytes } from "../parts/meter.tsx";

/** A download as a bar with rate and remaining time, as far as these are known. */
export function Progress({ download }: { readonly download: DownloadProgress }) {
  const { bytesDone, bytesTotal, percent, bytesPerSecond, secondsLeft } = download;
  const words = [
    bytesTotal === undefined ? formatBytes(bytesDone) : `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`,
    ...(bytesPerSecond === undefined ? [] : [`${formatBytes(bytesPerSecond)}/s`]),
    ...(secondsLeft === undefined ? [] : [`${formatTime(secondsLeft)} left`]),
  ];
  return (
    <div class="progress">
      <progress max={100} {...(percent === undefined ? {} : { value: percent })} aria-label="Download" />
      <span class="muted">{words.join(", ")}</span>
    </div>
  );
}

function formatTime(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes}m` : `${Math.round(minutes / 60)}h`;
}
