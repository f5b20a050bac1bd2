import type { RunSummary } from "@trivium/domain";
import type { Pod } from "@trivium/kube";
import { isObject } from "@trivium/std";

const longest = 4096;

/** The summary that our load generator leaves as the termination message of its pod; other programs leave none. */
export function parseRunSummary(pods: readonly Pod[]): RunSummary | undefined {
  const reported = pods
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .flatMap(({ state }) => state?.terminated?.message ?? []);
  return reported.map(parseSummary).find((summary) => summary !== undefined);
}

/** Any program can write the text, so only what has the right form counts. */
function parseSummary(text: string): RunSummary | undefined {
  if (text.length > longest) return undefined;
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found)) return undefined;
    const { requests = 0, answered = 0, failure, best } = found;
    if (!isCount(requests) || !isCount(answered)) return undefined;
    return {
      requests,
      answered,
      ...(typeof failure === "string" ? { failure } : {}),
      ...(isObject(best) ? { best } : {}),
    };
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
