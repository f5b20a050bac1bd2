import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { WriteVerb } from "./metered.ts";

export interface Gauged {
  /** Keys that wait, by reconciler. */
  waiting(): ReadonlyMap<string, number>;
  /** Objects held, by resource. */
  cached(): ReadonlyMap<string, number>;
  isLeader(): boolean;
  /** What take-overs would do, by reconciler and outcome. */
  planned(): Iterable<{ readonly reconciler: string; readonly outcome: string; readonly count: number }>;
}

export type PassOutcome = "quiet" | "written" | "failed";

/** What the runtime measures of itself, for Prometheus. */
export class Metrics {
  readonly registry: Registry;
  readonly #passes: Counter<"reconciler" | "outcome">;
  readonly #unchanged: Counter<"reconciler">;
  readonly #seconds: Histogram<"reconciler">;
  readonly #writes: Counter<"reconciler" | "verb" | "kind">;
  readonly #restarts: Counter<"resource" | "how">;

  constructor(registry: Registry, gauged: Gauged) {
    this.registry = registry;
    const registers = [registry];
    this.#passes = new Counter({
      name: "trivium_passes_total",
      help: "Reconcile passes; quiet ones wrote nothing",
      labelNames: ["reconciler", "outcome"],
      registers,
    });
    this.#unchanged = new Counter({
      name: "trivium_unchanged_observations_total",
      help: "Changes after which an object was observed as before, so that no pass was needed",
      labelNames: ["reconciler"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "trivium_pass_seconds",
      help: "Duration of a reconcile pass from its start to its last write",
      labelNames: ["reconciler"],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    });
    this.#writes = new Counter({
      name: "trivium_writes_total",
      help: "API requests that write",
      labelNames: ["reconciler", "verb", "kind"],
      registers,
    });
    this.#restarts = new Counter({
      name: "trivium_watch_starts_total",
      help: "Lists and watches started to fill a cache",
      labelNames: ["resource", "how"],
      registers,
    });
    addGauges(registry, gauged);
  }

  pass(reconciler: string, outcome: PassOutcome, seconds: number): void {
    this.#passes.inc({ reconciler, outcome });
    this.#seconds.observe({ reconciler }, seconds);
  }

  unchanged(reconciler: string): void {
    this.#unchanged.inc({ reconciler });
  }

  write(reconciler: string, verb: WriteVerb, kind: string): void {
    this.#writes.inc({ reconciler, verb, kind });
  }

  restart(resource: string, how: "list" | "watch"): void {
    this.#restarts.inc({ resource, how });
  }
}

function addGauges(registry: Registry, gauged: Gauged): void {
  const registers = [registry];
  new Gauge({
    name: "trivium_queue_depth",
    help: "Objects waiting for a reconcile pass",
    labelNames: ["reconciler"],
    registers,
    collect() {
      this.reset();
      for (const [reconciler, count] of gauged.waiting()) this.set({ reconciler }, count);
    },
  });
  new Gauge({
    name: "trivium_cached_objects",
    help: "Objects cached in memory",
    labelNames: ["resource"],
    registers,
    collect() {
      this.reset();
      for (const [resource, count] of gauged.cached()) this.set({ resource }, count);
    },
  });
  new Gauge({
    name: "trivium_planned_take_over_objects",
    help: "With --adopt=plan: objects of the upstream operator, by what a safe take-over would do with them",
    labelNames: ["reconciler", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { reconciler, outcome, count } of gauged.planned()) this.set({ reconciler, outcome }, count);
    },
  });
  new Gauge({
    name: "trivium_is_leader",
    help: "Whether this process is the leader",
    registers,
    collect() {
      this.set(gauged.isLeader() ? 1 : 0);
    },
  });
}
