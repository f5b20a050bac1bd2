import type { Workload } from "@trivium/engines";
import type { KubeClient } from "@trivium/kube";
import type { Clock, Log } from "@trivium/runtime";
import { Owners } from "../cluster/owners.ts";
import type { ClusterView } from "../cluster/view.ts";
import { ModelMemory } from "../upstream/model-memory.ts";
import type { Target } from "../upstream/target.ts";
import type { Targets } from "../upstream/targets.ts";
import { type Fleet, Idler } from "./idler.ts";
import { ScaleEvents } from "./scale-events.ts";
import { Scaler } from "./scaler.ts";

/** Everything that changes the cluster: starting from zero, scaling to zero, and noting what Services serve. */
export interface WakingControl {
  readonly memory: Pick<ModelMemory, "keep">;
  /** Resolves when decisions can be made. */
  start(): Promise<void>;
  wake(workload: Workload): Promise<void>;
  /** Something that is waited for does not fit. Returns whether capacity is being freed for it. */
  freeSpace(target: Target): "making" | "nobody";
  /** To be called after each change of the cluster. */
  review(): void;
  /** Decides nothing more. */
  stop(): void;
  /** Resolves when everything that was begun is written. */
  close(): Promise<void>;
}

export interface ControlParts {
  readonly client: KubeClient;
  readonly view: ClusterView;
  readonly targets: Targets;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly idling: "on" | "off";
  readonly onChange: () => void;
}

/** Decides in this process; with a fleet, for other processes, too. */
export function ownControl(parts: ControlParts, fleet?: Fleet): WakingControl {
  const { client, view, targets, clock, random, log, idling, onChange } = parts;
  const memory = new ModelMemory(client, log);
  const owners = new Owners({ client, clock, random, log, onChange: () => setImmediate(onChange) });
  const events = new ScaleEvents(client, clock, log);
  const scaler = new Scaler(client, owners, events);
  const idler = new Idler({ view, targets, scaler, events, clock, log, onChange, fleet });
  return {
    memory,
    start: () => owners.discover(),
    wake: (workload) => scaler.wake(workload),
    freeSpace: (target) => (idling === "off" ? "nobody" : idler.freeSpace(target)),
    review: () => {
      if (idling === "on") idler.review();
    },
    stop: () => idler.stop(),
    async close() {
      await Promise.all([owners.stop(), scaler.idle(), memory.idle()]);
      await events.idle();
    },
  };
}
