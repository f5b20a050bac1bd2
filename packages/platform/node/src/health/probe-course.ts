import type { api } from "@trivium/kube";
import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import type { CheckResult } from "./check.ts";

export interface ProbeCourseOptions {
  readonly clock: Clock;
  readonly probe: api.Probe;
  /** When the container began: the initial delay counts from there. */
  readonly since: Instant;
  check(): Promise<CheckResult>;
  /** Told of each answer that is not plainly good. */
  onTrouble(result: Exclude<CheckResult, { is: "healthy" }>): void;
  /** Told when enough answers in a row said the same, and again as long as they do. */
  onVerdict(isHealthy: boolean): void;
}

/** One probe of one container: asks again and again, and makes verdicts of answers. */
export class ProbeCourse {
  readonly #options: ProbeCourseOptions;
  #cancel: Cancel | undefined;
  #isStopped = false;
  #last: boolean | undefined;
  #inRow = 0;

  constructor(options: ProbeCourseOptions) {
    this.#options = options;
    const { clock, probe, since } = options;
    const first = since + (probe.initialDelaySeconds ?? 0) * 1000;
    this.#schedule(Math.max(0, first - clock.now()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #schedule(delay: number): void {
    this.#cancel = this.#options.clock.schedule(delay, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { clock, probe, check } = this.#options;
    const began = clock.now();
    const result = await check();
    if (this.#isStopped) return;
    this.#take(result);
    // The verdict may have stopped it.
    if (this.#isStopped) return;
    const period = Math.max(1, probe.periodSeconds ?? 10) * 1000;
    this.#schedule(Math.max(0, began + period - clock.now()));
  }

  #take(result: CheckResult): void {
    const { probe, onTrouble, onVerdict } = this.#options;
    if (result.is !== "healthy") onTrouble(result);
    if (result.is === "errored") return;
    const isHealthy = result.is !== "unhealthy";
    this.#inRow = this.#last === isHealthy ? this.#inRow + 1 : 1;
    this.#last = isHealthy;
    const needed = isHealthy ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.#inRow >= needed) onVerdict(isHealthy);
  }
}
