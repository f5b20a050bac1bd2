import type { api } from "@trivium/kube";
import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import type { CheckResult } from "./check-target.ts";

export interface ProbeLifecycleOptions {
  readonly clock: Clock;
  readonly probe: api.Probe;
  /** When the container began: the initial delay counts from there. */
  readonly since: Instant;
  /** Whether it looks more often until the first good answer; see decision 0015. */
  readonly pace?: "steady" | "eager";
  check(): Promise<CheckResult>;
  /** Told of each answer that is not plainly good. */
  onError(result: Exclude<CheckResult, { is: "healthy" }>): void;
  /** Told when enough answers in a row said the same, and again as long as they do. */
  onOutcome(isHealthy: boolean): void;
}

/** Glances between two answers that count: soon at first, then less and less often. */
const glances = { first: 50, growth: 1.3, longest: 1_000 };

/** One probe of one container: asks again and again, and makes verdicts of answers. */
export class ProbeLifecycle {
  readonly #options: ProbeLifecycleOptions;
  /** When the next answer counts, whatever it is. */
  #due: Instant;
  #glance = glances.first;
  #hasBeenWell = false;
  #cancel: Cancel | undefined;
  #isStopped = false;
  #last: boolean | undefined;
  #inRow = 0;

  constructor(options: ProbeLifecycleOptions) {
    this.#options = options;
    const { probe, since } = options;
    this.#due = since + (probe.initialDelaySeconds ?? 0) * 1000;
    this.#schedule(this.#due);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #schedule(at: Instant): void {
    const { clock } = this.#options;
    this.#cancel = clock.schedule(Math.max(0, at - clock.now()), () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { clock, probe, check } = this.#options;
    const began = clock.now();
    const isGlance = began < this.#due;
    const result = await check();
    if (this.#isStopped) return;
    if (!isGlance || result.is === "healthy") {
      this.#due = began + Math.max(1, probe.periodSeconds ?? 10) * 1000;
      this.#take(result);
    }
    // The verdict may have stopped it.
    if (!this.#isStopped) this.#schedule(this.#next());
  }

  #next(): Instant {
    if (this.#options.pace !== "eager" || this.#hasBeenWell) return this.#due;
    const at = this.#options.clock.now() + this.#glance;
    this.#glance = Math.min(glances.longest, this.#glance * glances.growth);
    return Math.min(this.#due, at);
  }

  #take(result: CheckResult): void {
    const { probe, onError, onOutcome } = this.#options;
    if (result.is !== "healthy") onError(result);
    if (result.is === "errored") return;
    const isHealthy = result.is !== "unhealthy";
    this.#hasBeenWell ||= isHealthy;
    this.#inRow = this.#last === isHealthy ? this.#inRow + 1 : 1;
    this.#last = isHealthy;
    const needed = isHealthy ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.#inRow >= needed) onOutcome(isHealthy);
  }
}
