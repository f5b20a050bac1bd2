import type { Progress } from "../transfer/meter.ts";

const units = ["", "Ki", "Mi", "Gi", "Ti"];

export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value} bytes` : `${value.toFixed(1)}${units[unit]}`;
}

/** Bytes as people write them: `500M`, `1.5G`, `2GiB`, `1000`. Undefined when it is none. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kMGT]?)(i?)B?$/i.exec(text.trim());
  if (match === null) return undefined;
  const power = " kmgt".indexOf((match[2] ?? "").toLowerCase() || " ");
  return Math.round(Number(match[1]) * (match[3] ? 1024 : 1000) ** power);
}

export function formatProgress(progress: Progress): string {
  const share = progress.total ? ` ${Math.floor((progress.bytes / progress.total) * 100)}%` : "";
  const of = progress.total === undefined ? "" : ` of ${formatBytes(progress.total)}`;
  const eta = progress.etaSeconds === undefined ? "" : `, ${formatSeconds(progress.etaSeconds)} left`;
  return `${progress.file}:${share} ${formatBytes(progress.bytes)}${of} at ${formatBytes(progress.rate)}/s${eta}`;
}

export function formatBar(progress: Progress, columns: number): string {
  const text = formatProgress(progress);
  const width = Math.min(30, columns - text.length - 4);
  if (progress.total === undefined || progress.total === 0 || width < 8) return text.slice(0, columns - 1);
  const full = Math.round((progress.bytes / progress.total) * width);
  return `[${"=".repeat(full)}${" ".repeat(width - full)}] ${text}`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m`;
}
