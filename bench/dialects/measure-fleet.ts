import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { KubeClient, KubeObject } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import type { Runtime } from "@trivium/runtime";
import { inParallel } from "../llmkube/in-parallel.ts";
import { type RecordedWrite, recordWrites } from "../llmkube/record.ts";
import { modelOf, runtimeOf, serviceOf } from "../ome/fleet.ts";

/** Processor time in milliseconds, of one run of one dialect in one checkout. */
export interface FleetFigures {
  /** Of server and operator together, which share a process, until nothing is left to do. */
  readonly processor: number;
  /** Of the reconciler of services alone: reading caches, and deciding. */
  readonly observing: number;
  readonly deciding: number;
  readonly passes: number;
  /** All reconcilers of the dialect. */
  readonly allObserving: number;
  readonly allDeciding: number;
  readonly allPasses: number;
  readonly writes: number;
  /** Processor time of one decision on a service at rest: the figure that other work disturbs least. */
  readonly decision: number;
}

/**
 * The services of one dialect from nothing to rest on the embedded server, with the code of the checkout at `root`. Everything is loaded
 * from there by its path, so that the same measurement serves an older tree.
 */
const [root = ".", dialect = "llmkube", services = "300", repeats = "10"] = process.argv.slice(2);
const count = Number(services);
const load = (path: string) => import(pathToFileURL(join(root, path)).href);
const { builtInResources, createApi, openMemoryStore } = await load("packages/platform/apiserver/src/index.ts");
const { createClient } = await load("packages/platform/client/src/index.ts");
const { CustomResourceDefinition, Namespace, emitCrd } = await load("packages/base/kube/src/index.ts");
const { createRuntime } = await load("packages/platform/runtime/src/index.ts");
const { LeapingClock } = await load("packages/platform/testkit/src/index.ts");
const { answer } = await load("packages/base/reconcile/src/index.ts");
const queries = await load("packages/core/domain/src/index.ts");
const own = await load(`packages/dialects/${dialect}/src/index.ts`);

const spent = { passes: 0, observing: 0, deciding: 0, allPasses: 0, allObserving: 0, allDeciding: 0 };
const writes: RecordedWrite[] = [];
const decisions = new Map<string, { readonly version: number; readonly decide: () => void }>();
let clockOf = (): number => 0;
console.log(JSON.stringify(await measure()));
process.exit(0);

async function measure(): Promise<FleetFigures> {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const client: KubeClient = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
  const { kinds, reconcilers } = (own.createLlmkube ?? own.createOme ?? own.createAim)();
  for (const kind of kinds)
    await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "bench", force: true });
  const fleet = await fleetOf(client);
  const clock = new LeapingClock();
  clockOf = () => clock.now();
  const answers = [
    answer(queries.sourceHead, async () => ({ version: "v1", length: 4_000_000_000, at: clock.now() })),
    answer(queries.modelHeader, async () => undefined),
    answer(queries.isServed, async () => false),
    answer(queries.imageConfig, async () => undefined),
  ];
  const runtime: Runtime = createRuntime({
    client: recordWrites(client, writes),
    reconcilers: reconcilers.map(timed),
    answers,
    clock,
  });
  await runtime.start();
  const used = process.cpuUsage();
  await fleet();
  await atRest(runtime);
  const { user, system } = process.cpuUsage(used);
  await runtime.stop();
  await api.close();
  return { processor: (user + system) / 1000, writes: writes.length, ...spent, decision: measureDecisions() };
}

/** The last decision on every service once more, often enough that the compiler has settled. */
function measureDecisions(): number {
  const rounds = Number(repeats);
  const decideAll = () => {
    for (const { decide } of decisions.values()) decide();
  };
  for (let warm = 0; warm < rounds; warm += 1) decideAll();
  const used = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) decideAll();
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000 / rounds / decisions.size;
}

/** Prepares the cluster, and gives what then applies all objects. */
async function fleetOf(client: KubeClient): Promise<() => Promise<void>> {
  if (dialect === "aim") {
    const { applyFleet, prepare } = await load("bench/aim/fleet.ts");
    await prepare(client);
    return () => applyFleet(client, { models: count / 5, templates: count * 2, services: count });
  }
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "bench" } };
  await client.create(Namespace, namespace);
  if (dialect === "llmkube") {
    const { applyFleet, makeFleet } = await load("bench/llmkube/fleet.ts");
    return () => applyFleet(client, makeFleet("bench", count));
  }
  const many = (size: number, one: (at: number) => Promise<unknown>) =>
    Array.from({ length: size }, (_, at) => () => one(at));
  const models = count / 5;
  return () =>
    inParallel([
      ...many(models, (at) => client.create(own.ClusterBaseModel, modelOf(at))),
      ...many(models * 2, (at) => client.create(own.ClusterServingRuntime, runtimeOf(at))),
      ...many(count, (at) => client.create(own.InferenceService, serviceOf(at, models))),
    ]);
}

function timed(reconciler: Reconciler): Reconciler {
  const isService = reconciler.name.endsWith("service");
  const measured = <A extends unknown[], R>(of: "Observing" | "Deciding", work: (...args: A) => R) => {
    return (...args: A): R => {
      const began = process.threadCpuUsage();
      const result = work(...args);
      const { user, system } = process.threadCpuUsage(began);
      const took = (user + system) / 1000;
      spent[`all${of}`] += took;
      if (isService) spent[of === "Observing" ? "observing" : "deciding"] += took;
      if (of === "Deciding") spent.allPasses += 1;
      if (of === "Deciding" && isService) spent.passes += 1;
      return result;
    };
  };
  return {
    ...reconciler,
    observe: measured("Observing", (object, reader) => {
      const observed = reconciler.observe(object, reader);
      if (isService) noteLast(object, () => reconciler.decide(object, observed, clockOf()));
      return observed;
    }),
    decide: measured("Deciding", reconciler.decide.bind(reconciler)),
  };
}

/** Of the newest version that was observed, whether or not it had to be decided. */
function noteLast({ metadata }: KubeObject, decide: () => void): void {
  const [name, version] = [metadata.name ?? "", Number(metadata.resourceVersion)];
  if (version >= (decisions.get(name)?.version ?? 0)) decisions.set(name, { version, decide });
}

/** Nothing queued for a while; Events go their own way. */
async function atRest(runtime: Runtime): Promise<void> {
  for (let quiet = 0, last = -1; quiet < 3; quiet = writes.length === last ? quiet + 1 : 0) {
    last = writes.length;
    await sleep(400);
    await runtime.whenIdle();
  }
}
