import type { DownloadProgress } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { ModelCache } from "./model-cache/names/names.ts";

/** The download that the status of an object reports: a model cache has it. */
export function downloadOf(object: KubeObject): DownloadProgress | undefined {
  if (object.kind !== "AIMModelCache") return undefined;
  const { status: { status, progress } = {} } = object as ModelCache;
  if (status !== "Progressing" || progress === undefined) return undefined;
  const { downloadedBytes = 0, totalBytes, percentage, bytesPerSecond, secondsLeft } = progress;
  return { bytesDone: downloadedBytes, bytesTotal: totalBytes, percent: percentage, bytesPerSecond, secondsLeft };
}
