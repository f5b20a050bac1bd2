import { setTimeout as sleep } from "node:timers/promises";
import { modelHeader, sourceHead } from "@trivium/domain";
import { Deployment, type KubeClient, Namespace, Service } from "@trivium/kube";
import { createLlmkube, InferenceService, Model } from "@trivium/llmkube";
import { type Answered, answer } from "@trivium/reconcile";
import { createRuntime } from "@trivium/runtime";
import { LeapingClock, withinNamespace } from "@trivium/testkit";
import { inParallel } from "./in-parallel.ts";
import { type RecordedWrite, recordWrites } from "./record.ts";

/** What a person applies. */
export interface Fleet {
  readonly namespace: string;
  readonly models: readonly Model[];
  readonly services: readonly InferenceService[];
}

/** One run of the operator: from the first object that is applied to the last child, and what it wrote. */
export interface Run {
  readonly took: number;
  /** To the last of all writes, statuses and Events with them. */
  readonly whole: number;
  readonly writes: readonly RecordedWrite[];
  /** Writes in the minute after everything had come to rest. */
  readonly atRest: number;
}

export function makeFleet(namespace: string, count: number): Fleet {
  const head = { apiVersion: "inference.llmkube.dev/v1alpha1" } as const;
  const names = Array.from({ length: count }, (_, i) => `model-${i}`);
  return {
    namespace,
    models: names.map((name) => ({
      ...head,
      kind: "Model",
      metadata: { name, namespace },
      spec: { source: `https://models.example/${name}.gguf` } as Model["spec"],
    })),
    services: names.map((name) => ({
      ...head,
      kind: "InferenceService",
      metadata: { name, namespace },
      spec: { modelRef: name, contextSize: 4096 },
    })),
  };
}

/** Applies the fleet while the operator runs, and waits until it has nothing left to do. */
export async function runOperator(client: KubeClient, fleet: Fleet): Promise<Run> {
  const { namespace } = fleet;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const clock = new LeapingClock();
  const writes: RecordedWrite[] = [];
  const runtime = createRuntime({
    client: recordWrites(withinNamespace(client, namespace), writes),
    reconcilers: createLlmkube().reconcilers,
    answers: answersOf(() => clock.now()),
    clock,
  });
  await runtime.start();
  const began = performance.now();
  await applyFleet(client, fleet);
  while (childrenIn(writes).length < 2 * fleet.services.length) await sleep(20);
  await runtime.whenIdle();
  // Events go their own way.
  await sleep(500);
  const made = [...writes];
  clock.leap(60_000);
  await sleep(1_000);
  await runtime.whenIdle();
  await runtime.stop();
  return {
    took: lastOf(childrenIn(made)) - began,
    whole: lastOf(made) - began,
    writes: made,
    atRest: writes.length - made.length,
  };
}

const childrenIn = (writes: readonly RecordedWrite[]): RecordedWrite[] =>
  writes.filter(({ kind, at }) => at !== undefined && (kind === Deployment || kind === Service));

const lastOf = (writes: readonly RecordedWrite[]): number => Math.max(...writes.map(({ at = 0 }) => at));

export async function applyFleet(client: KubeClient, { models, services }: Fleet): Promise<void> {
  const creations = [
    ...models.map((model) => () => client.create(Model, model)),
    ...services.map((service) => () => client.create(InferenceService, service)),
  ];
  await inParallel(creations);
}

function answersOf(now: () => number): Answered[] {
  return [
    answer(sourceHead, async () => ({ version: "v1", length: 4_000_000_000, at: now() })),
    answer(modelHeader, async () => undefined),
  ] as Answered[];
}
