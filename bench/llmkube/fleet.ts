import { setTimeout as sleep } from "node:timers/promises";
import { modelHeader, sourceHead } from "@trivium/domain";
import { Deployment, type Kind, type KubeClient, type KubeObject, Namespace, Service } from "@trivium/kube";
import { createLlmkube, InferenceService, Model } from "@trivium/llmkube";
import { type Answered, answer } from "@trivium/reconcile";
import { createRuntime } from "@trivium/runtime";
import { LeapingClock } from "@trivium/testkit";
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
    client: recordWrites(client, writes),
    reconcilers: createLlmkube().reconcilers,
    answers: answersOf(() => clock.now()),
    clock,
  });
  await runtime.start();
  const before = writes.length;
  const began = performance.now();
  await applyFleet(client, fleet);
  await untilAll(client, [Deployment, Service], fleet);
  const took = performance.now() - began;
  await runtime.whenIdle();
  await sleep(500);
  const made = writes.slice(before);
  clock.leap(60_000);
  await sleep(1_000);
  await runtime.whenIdle();
  const atRest = writes.length - before - made.length;
  await runtime.stop();
  return { took, writes: made, atRest };
}

export async function applyFleet(client: KubeClient, { models, services }: Fleet): Promise<void> {
  const creations = [
    ...models.map((model) => () => client.create(Model, model)),
    ...services.map((service) => () => client.create(InferenceService, service)),
  ];
  await inParallel(creations);
}

/** Looks at counts seldom enough not to be a load itself. */
async function untilAll(client: KubeClient, kinds: readonly Kind[], { namespace, services }: Fleet): Promise<void> {
  for (const kind of kinds) {
    const ours = (object: KubeObject) => object.metadata.ownerReferences !== undefined;
    while ((await client.list(kind, { namespace })).items.filter(ours).length < services.length) await sleep(100);
  }
}

function answersOf(now: () => number): Answered[] {
  return [
    answer(sourceHead, async () => ({ version: "v1", length: 4_000_000_000, at: now() })),
    answer(modelHeader, async () => undefined),
  ] as Answered[];
}
