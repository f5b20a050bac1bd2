import type { Millis } from "@trivium/std";
import { type ConcurrencyRule, defaultConcurrency } from "./concurrency.ts";
import { patientRetry, type RetryRule } from "./http/retry.ts";
import type { Throttle } from "./http/throttle.ts";
import { patientStall, type StallRule } from "./http/watchdog.ts";
import type { Progress } from "./meter.ts";

/** How a transfer behaves. Everything has a sensible value; tests and operators turn the knobs. */
export interface TransferSettings {
  readonly concurrency: ConcurrencyRule;
  readonly retry: RetryRule;
  readonly stall: StallRule;
  /** Shared by all files of one fetch. */
  readonly throttle: Throttle | undefined;
  readonly progressEveryMs: Millis;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  /** What becomes of bytes with another digest than expected: a store keeps them under the digest they have. */
  readonly mismatched: "discarded" | "kept";
}

export function transferSettings(given: Partial<TransferSettings> = {}): TransferSettings {
  return {
    concurrency: defaultConcurrency,
    retry: patientRetry,
    stall: patientStall,
    throttle: undefined,
    progressEveryMs: 500,
    onProgress: () => {},
    signal: new AbortController().signal,
    mismatched: "discarded",
    ...given,
  };
}
