import type { api } from "@trivium/kube";
import type { Clock } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import { runCheck } from "./check.ts";
import type { CheckTarget } from "./check-target.ts";
import { ProbeLifecycle } from "./probe-lifecycle.ts";

export type ProbeName = "Startup" | "Liveness" | "Readiness";

export interface HealthWatchOptions {
  readonly clock: Clock;
  readonly target: CheckTarget;
  readonly since: Instant;
  /** What is known already, from an agent before this one. */
  readonly before?: { readonly isStarted: boolean; readonly isReady: boolean } | undefined;
  onStarted(): void;
  onReadiness(isReady: boolean): void;
  /** It must end and begin again. */
  onLost(probe: "Startup" | "Liveness", spec: api.Probe): void;
  onNote(reason: "Unhealthy" | "ProbeWarning", message: string): void;
}

/** Watches a container by its probes: first whether it has started, then whether it lives and is ready. */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  readonly #lifecycles = new Set<ProbeLifecycle>();
  #isReady: boolean | undefined;

  constructor(options: HealthWatchOptions) {
    this.#options = options;
    const { startupProbe } = options.target.container;
    if (options.before?.isReady === true) this.#isReady = true;
    if (startupProbe === undefined || options.before?.isStarted === true) this.#started();
    else this.#watchStart(startupProbe);
  }

  stop(): void {
    for (const lifecycle of this.#lifecycles) lifecycle.stop();
    this.#lifecycles.clear();
  }

  #watchStart(probe: api.Probe): void {
    this.#watch("Startup", probe, (isHealthy, lifecycle) => {
      lifecycle.stop();
      if (isHealthy) this.#started();
      else this.#options.onLost("Startup", probe);
    });
  }

  #started(): void {
    const { livenessProbe, readinessProbe } = this.#options.target.container;
    this.#options.onStarted();
    if (readinessProbe === undefined) this.#say(true);
    else this.#watch("Readiness", readinessProbe, (isHealthy) => this.#say(isHealthy));
    if (livenessProbe === undefined) return;
    this.#watch("Liveness", livenessProbe, (isHealthy, lifecycle) => {
      if (isHealthy) return;
      lifecycle.stop();
      this.#options.onLost("Liveness", livenessProbe);
    });
  }

  #say(isReady: boolean): void {
    if (this.#isReady === isReady) return;
    this.#isReady = isReady;
    this.#options.onReadiness(isReady);
  }

  #watch(name: ProbeName, probe: api.Probe, onOutcome: (isHealthy: boolean, lifecycle: ProbeLifecycle) => void): void {
    const { clock, since, target, onNote } = this.#options;
    const lifecycle: ProbeLifecycle = new ProbeLifecycle({
      clock,
      probe,
      since,
      pace: this.#paceOf(name, probe),
      check: () => runCheck(probe, target),
      onOutcome: (isHealthy) => onOutcome(isHealthy, lifecycle),
      onError: ({ is, message }) => {
        if (is === "warning") onNote("ProbeWarning", `${name} probe warning: ${message}`);
        else if (is === "unhealthy") onNote("Unhealthy", `${name} probe failed: ${message}`);
        else onNote("Unhealthy", `${name} probe errored and resulted in unknown state: ${message}`);
      },
    });
    this.#lifecycles.add(lifecycle);
  }

  /** One good answer of a server that is starting is all that everybody waits for. A program is not started that often. */
  #paceOf(name: ProbeName, { exec, successThreshold = 1 }: api.Probe): "steady" | "eager" {
    const isAwaited = name !== "Liveness" && this.#isReady !== true;
    return isAwaited && exec === undefined && successThreshold === 1 ? "eager" : "steady";
  }
}
