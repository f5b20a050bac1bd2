import type { DownloadProgress } from "@trivium/domain";
import { formatProgress } from "@trivium/engines";

/** `downloading [=====     ] 1.4Gi of 2.9Gi (48%), 12.0Mi/s, about 113s left` */
export function formatBar(progress: DownloadProgress, columns: number): string {
  const text = formatProgress(progress);
  const width = Math.min(30, columns - text.length - 16);
  if (progress.percent === undefined || width < 8) return `downloading ${text}`;
  const full = Math.round((progress.percent / 100) * width);
  return `downloading [${"=".repeat(full)}${" ".repeat(width - full)}] ${text}`;
}
