import type { AnyObject } from "@trivium/kube";

/** What a BenchmarkJob reports of itself: its details are one line of JSON. */
export interface ReadJob {
  readonly state: string;
  readonly message: string;
  readonly requests?: number;
  readonly answered?: number;
  readonly best?: {
    readonly scenario?: string;
    readonly concurrency?: number;
    readonly requestsPerSecond?: number;
    readonly outputTokensPerSecond?: number;
    readonly timeToFirstTokenMs?: { readonly p50: number };
  };
}

export function readJob({ status }: AnyObject): ReadJob {
  const { state = "Pending", failureMessage = "", details = "" } = (status ?? {}) as Readonly<Record<string, string>>;
  const { requests, answered, best, waitingFor } = parseDetails(details);
  return {
    state,
    message: failureMessage || waitingFor || "",
    ...(requests === undefined ? {} : { requests }),
    ...(answered === undefined ? {} : { answered }),
    ...(best === undefined ? {} : { best }),
  };
}

function parseDetails(text: string): Partial<ReadJob> & { readonly waitingFor?: string } {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
