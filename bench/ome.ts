import { setTimeout as sleep } from "node:timers/promises";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { CustomResourceDefinition, Deployment, emitCrd, type KubeClient, Namespace, Service } from "@trivium/kube";
import { ClusterBaseModel, ClusterServingRuntime, createOme, InferenceService } from "@trivium/ome";
import { createRuntime } from "@trivium/runtime";
import { inParallel } from "./llmkube/in-parallel.ts";
import { type RecordedWrite, recordWrites } from "./llmkube/record.ts";
import { modelOf, runtimeOf, serviceOf } from "./ome/fleet.ts";
import { printTable, seconds } from "./support/table.ts";

/** Services over models and runtimes from nothing to all their children. No nodes. */
const [models, runtimes, services] = [100, 200, 500];
const many = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));

const fleet = await measureFleet();
printTable([
  [`${services} services, ${models} models, ${runtimes} runtimes, embedded server`, "", "aim"],
  ["until all children are written", seconds(fleet.took), "at most 15 s"],
  ["writes a service", eachService(fleet.writes.length), "7: six children and its status"],
  ...countWrites(fleet.writes).map(([what, count]) => [`… ${what}`, eachService(count), ""]),
]);

function eachService(count: number): string {
  return (count / services).toFixed(2);
}

/** Writes by verb and kind, most frequent first. */
function countWrites(writes: readonly RecordedWrite[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { verb, kind } of writes) {
    const what = `${verb} ${kind.kind}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

async function measureFleet(): Promise<{ readonly took: number; readonly writes: readonly RecordedWrite[] }> {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const client = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
  const { kinds, reconcilers } = createOme();
  for (const kind of kinds)
    await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "bench", force: true });
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "bench" } });
  const writes: RecordedWrite[] = [];
  const runtime = createRuntime({ client: recordWrites(client, writes), reconcilers, answers: [] });
  await runtime.start();
  const began = performance.now();
  await applyAll(client);
  // Each service has a Deployment, and two Services: of its engine and of its own.
  const children = () => writes.filter(({ kind, at }) => at !== undefined && (kind === Deployment || kind === Service));
  while (children().length < 3 * services) await sleep(20);
  const took = Math.max(...children().map(({ at = 0 }) => at)) - began;
  await runtime.whenIdle();
  await runtime.stop();
  await api.close();
  return { took, writes };
}

async function applyAll(client: KubeClient): Promise<void> {
  await inParallel([
    ...many(models, (at) => () => client.create(ClusterBaseModel, modelOf(at))),
    ...many(runtimes, (at) => () => client.create(ClusterServingRuntime, runtimeOf(at))),
    ...many(services, (at) => () => client.create(InferenceService, serviceOf(at, models))),
  ]);
}
