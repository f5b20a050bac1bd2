import { setTimeout as sleep } from "node:timers/promises";
import { stoppedFault, WeightsError } from "../../fault.ts";
import { backoff, type RetryRule } from "./retry.ts";

/** Bytes that count as a sign of life. A server that gives one byte and hangs up does not buy itself another try. */
const signOfLife = 64 * 1024;

/**
 * Counts failures in a row over all connections of one download. Failures of requests that were under way together count
 * once, so that a lost network with sixteen connections is one failure and not sixteen.
 */
export class Patience {
  readonly #rule: RetryRule;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #hasProgressed = false;

  constructor(rule: RetryRule) {
    this.#rule = rule;
  }

  progressed(bytes: number): void {
    this.#bytes += bytes;
    this.#hasProgressed ||= bytes > 0;
    if (this.#bytes < signOfLife) return;
    this.#bytes = 0;
    this.#failures = 0;
  }

  /** Waits before another try, or throws when this failure is not worth one or there were too many. */
  async afterFailure(error: unknown, startedAt: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    const fault = asFault(error);
    if (fault.kind !== "unreachable" || fault.reason === "UpstreamChanged" || fault.reason === "RangesRefused")
      throw fault;
    if (startedAt >= this.#failedAt) {
      this.#failures++;
      this.#failedAt = performance.now();
      this.#bytes = 0;
    }
    if (this.#failures >= this.#rule.attempts)
      throw givingUp(fault, { failures: this.#failures, hasProgressed: this.#hasProgressed });
    const delay = fault.retryAfterMs ?? backoff(this.#rule, this.#failures, Math.random());
    await sleep(delay, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  }
}

interface Lifecycle {
  readonly failures: number;
  readonly hasProgressed: boolean;
}

/** A single try gives nothing up: its caller tries again, or reports the failure as it is. */
function givingUp(fault: WeightsError, { failures, hasProgressed }: Lifecycle): WeightsError {
  const times = failures === 1 ? "" : `; gave up after ${failures} failures in a row`;
  const kept = hasProgressed ? "; completed parts are kept for the next attempt" : "";
  const message = `${fault.message}${times}${kept}`;
  return new WeightsError(fault.kind, fault.reason, message, { cause: fault });
}

/** Errors of sockets and disks that nobody named yet. A disk's are final, a network's are worth another try. */
export function asFault(error: unknown): WeightsError {
  if (error instanceof WeightsError) return error;
  const name = error instanceof Error ? error.name : "";
  if (name === "AbortError") return stoppedFault();
  const text = error instanceof Error ? error.message : String(error);
  return new WeightsError("unreachable", "Unreachable", text, { cause: error });
}
