import type { Pod } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";

/** The summary that our load generator leaves behind; genai-bench leaves none. */
export interface LastLogLine {
  readonly requests: number;
  readonly answered: number;
  readonly failure?: string;
  /** Throughput and times of the best run, passed on as they are. */
  readonly best?: JsonObject;
}

const longest = 4096;

/** Hostile text: what is no summary is no summary. */
export function readLastLogLine(pods: readonly Pod[]): LastLogLine | undefined {
  const reported = pods
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .flatMap(({ state }) => state?.terminated?.message ?? []);
  return reported.map(readSummary).find((words) => words !== undefined);
}

function readSummary(text: string): LastLogLine | undefined {
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
