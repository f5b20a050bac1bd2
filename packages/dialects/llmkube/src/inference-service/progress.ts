import { formatMemory } from "@trivium/engines";
import { isObject, type Json } from "@trivium/std";
import type { ServiceSeen } from "./observe.ts";
import type { ServingPodSeen } from "./serving-pod.ts";

/** How far the downloads of a service are, in a sentence; nothing when none runs or there is nothing to say of it. */
export function describeProgress({ pods, header }: Pick<ServiceSeen, "pods" | "header">): string | undefined {
  const fetching = pods.filter(({ progress }) => progress !== undefined);
  if (fetching.length === 0) return undefined;
  const report = fetching.toSorted((a, b) => (a.name < b.name ? -1 : 1)).flatMap((pod) => lastReport(pod) ?? [])[0];
  // A source that does not answer the operator seldom answers its pods.
  if ((report === undefined || report.bytes === 0) && header?.is === "unreachable")
    return `Fetching weights, whose source does not answer the operator: ${header.why}`;
  return report === undefined ? undefined : wordsOf(report);
}

interface Report {
  readonly bytes: number;
  readonly total: number | undefined;
}

function wordsOf({ bytes, total }: Report): string {
  const done = formatMemory(bytes);
  return total === undefined
    ? `Fetching weights: ${done}`
    : `Fetching weights: ${done} of ${formatMemory(total)} (${Math.floor((100 * bytes) / total)} %)`;
}

function lastReport({ progress }: ServingPodSeen): Report | undefined {
  if (progress?.is !== "known") return undefined;
  return progress.value
    .trimEnd()
    .split("\n")
    .map(reportOf)
    .findLast((report) => report !== undefined);
}

function reportOf(line: string): Report | undefined {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.bytes !== "number") return undefined;
  return { bytes: value.bytes, total: typeof value.total === "number" && value.total > 0 ? value.total : undefined };
}
