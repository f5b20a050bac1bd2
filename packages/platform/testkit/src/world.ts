import type { KubeClient, PodSecurityLevel } from "@trivium/kube";
import type { Answered, AnyReconciler } from "@trivium/reconcile";
import { type AdoptPolicy, createRuntime, type Log, meteredClient, type Runtime } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import type { Cluster } from "./cluster.ts";
import type { FakeClock } from "./fake-clock.ts";
import { type Fault, faultyClient } from "./faults.ts";
import { turns } from "./turns.ts";

export interface WorldOptions {
  /** The API everything talks to; several worlds can share one. */
  readonly cluster: Cluster;
  readonly reconcilers: readonly AnyReconciler[];
  readonly answers?: readonly Answered[];
  readonly lease?: { readonly namespace: string; readonly name: string };
  readonly identity?: string;
  /** What goes wrong between the runtime and the API, call by call. */
  readonly faults?: () => Fault;
  /** Stands between the runtime and the API, for tests that want to look or to hinder. */
  readonly between?: (client: KubeClient) => KubeClient;
  readonly log?: Log;
  readonly podSecurityLevel?: PodSecurityLevel;
  readonly release?: string;
  readonly adopt?: AdoptPolicy;
  readonly planNamespace?: string;
}

/** A runtime on an API, and time that stands still. */
export interface World {
  readonly clock: FakeClock;
  /** For the test: calls here are not counted and never fail by themselves. */
  readonly client: KubeClient;
  readonly runtime: Runtime;
  /** What the runtime wrote, as `apply ConfigMap`; cleared by whoever looks. */
  readonly writes: string[];
  /** Lets everything come to rest that needs no time to pass. */
  settle(): Promise<void>;
  /** Lets time pass, and everything come to rest after each timer. */
  elapse(time: Millis): Promise<void>;
  /** Ends all faults. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const { cluster, between = (client) => client } = options;
  const { client, clock } = cluster;
  const faulty = faultyClient(between(client), options.faults ?? (() => "none"));
  const writes: string[] = [];
  const counted = meteredClient(faulty, (verb, kind) => writes.push(`${verb} ${kind.kind}`));
  const runtime = createRuntime({ ...options, client: counted, clock, random: () => 0.5 });
  const settle = () => comeToRest(runtime, cluster);
  const started = runtime.start();
  // Caches may need to try again, and that needs time.
  await untilDone(started, () => clock.advance(1_000, () => turns(4)));
  await settle();
  return {
    clock,
    client,
    runtime,
    writes,
    settle,
    elapse: (time) => clock.advance(time, settle),
    heal: () => faulty.heal(),
    async stop() {
      const stopped = runtime.stop();
      await untilDone(stopped, () => clock.advance(1_000, () => turns(4)));
    },
  };
}

/** So often it is looked whether all is idle: what is not by then waits for time to pass. */
const patience = 50;

/** At rest: idle, and still idle after events that may have been on their way had time to arrive. */
async function comeToRest(runtime: Runtime, cluster: Cluster): Promise<void> {
  for (let quiet = 0, turn = 0; quiet < 3 && turn < patience; turn += 1) {
    await turns(4);
    await cluster.rest();
    quiet = (await isIdle(runtime)) ? quiet + 1 : 0;
  }
}

/** Whether the runtime is idle now: asks without waiting, because a key may rest until time passes. */
async function isIdle(runtime: Runtime): Promise<boolean> {
  return Promise.race([runtime.whenIdle().then(() => true), turns(8).then(() => false)]);
}

async function untilDone(work: Promise<void>, help: () => Promise<void>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  await turns(8);
  for (let i = 0; !isDone && i < 10_000; i += 1) await help();
  await done;
}
