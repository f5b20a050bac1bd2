import type { DownloadProgress } from "@trivium/domain";
import { formatProgress, keepProgress, parseProgress } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";

/** A download that runs: how far it is, as far as that is known. */
export interface DownloadReport {
  readonly progress?: DownloadProgress | undefined;
  readonly message?: string | undefined;
}

/** Nothing where no pod downloads. Of several pods the first by name is reported. */
export function reportDownload(
  { status }: InferenceService,
  { pods, header: place }: Pick<ObservedService, "pods" | "header">,
): DownloadReport | undefined {
  const header = place?.tolerated;
  const fetching = pods.filter(({ progress }) => progress !== undefined);
  if (fetching.length === 0) return undefined;
  const found = fetching
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ progress }) => (progress?.is === "known" ? (parseProgress(progress.value) ?? []) : []))[0];
  const reported = status?.download ?? undefined;
  // A source that does not answer the operator seldom answers its pods.
  if ((found === undefined || found.bytesDone === 0) && header?.is === "unreachable")
    return { message: `Downloading weights; the source does not respond to the operator: ${header.why}` };
  const progress = found === undefined ? reported : keepProgress(reported, found);
  return progress === undefined ? {} : { progress, message: `Downloading weights: ${formatProgress(progress)}` };
}
