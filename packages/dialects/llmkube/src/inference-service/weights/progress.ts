import { describeDownload, lastReport } from "../../weights/download-log.ts";
import type { ObservedService } from "../observe.ts";

/** How far the downloads of a service are, in a sentence; nothing when none runs or there is nothing to say of it. */
export function describeProgress({ pods, header }: Pick<ObservedService, "pods" | "header">): string | undefined {
  const fetching = pods.filter(({ progress }) => progress !== undefined);
  if (fetching.length === 0) return undefined;
  const report = fetching
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ progress }) => (progress?.is === "known" ? (lastReport(progress.value) ?? []) : []))[0];
  // A source that does not answer the operator seldom answers its pods.
  if ((report === undefined || report.bytes === 0) && header?.is === "unreachable")
    return `Downloading weights; the source does not respond to the operator: ${header.why}`;
  return report === undefined ? undefined : describeDownload(report);
}
