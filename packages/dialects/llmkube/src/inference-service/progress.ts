import { formatMemory } from "@trivium/engines";
import { isObject, type Json } from "@trivium/std";
import type { ServingPodSeen } from "./serving-pod.ts";

/** How far the downloads of a service are, in a sentence; nothing when none runs or none has said anything. */
export function describeProgress(pods: readonly ServingPodSeen[]): string | undefined {
  for (const { progress } of pods.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (progress?.is !== "known") continue;
    const last = progress.value
      .trimEnd()
      .split("\n")
      .map(parsed)
      .findLast((line) => line !== undefined);
    if (last !== undefined) return last;
  }
  return undefined;
}

function parsed(line: string): string | undefined {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.bytes !== "number") return undefined;
  const done = formatMemory(value.bytes);
  return typeof value.total === "number" && value.total > 0
    ? `Fetching weights: ${done} of ${formatMemory(value.total)} (${Math.floor((100 * value.bytes) / value.total)} %)`
    : `Fetching weights: ${done}`;
}
