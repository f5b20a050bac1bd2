import { setTimeout as sleep } from "node:timers/promises";
import { AIMClusterServiceTemplate, AIMService, createAim } from "@trivium/aim";
import { builtInResources, createApi, openMemoryStore } from "@trivium/apiserver";
import { createClient } from "@trivium/client";
import { imageConfig, isServed } from "@trivium/domain";
import {
  CustomResourceDefinition,
  Deployment,
  emitCrd,
  type KubeClient,
  PersistentVolumeClaim,
  Service,
} from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { createRuntime, type Runtime } from "@trivium/runtime";
import { LeapingClock } from "@trivium/testkit";
import { type RecordedWrite, recordWrites } from "../llmkube/record.ts";
import { applyFleet, applyWaiting, type FleetSize, namespace, prepare, waitingEach } from "./fleet.ts";

export interface FleetReport {
  /** To the last child, and to the last of all writes, in milliseconds. */
  readonly took: number;
  readonly whole: number;
  /** Of server and operator together, which share a process, until all is written. */
  readonly processor: number;
  /** By the reconciler of services: children, statuses, finalizers; Events apart. */
  readonly writes: number;
  /** Of these: that a service waits for its model, which came at the same time. */
  readonly waits: number;
  readonly events: number;
  readonly passes: number;
  readonly atRest: number;
  /** Passes of services after one template changed, and how many services it concerns. */
  readonly woken: Waking;
  readonly concerned: Waking;
}

export interface Waking {
  readonly users: number;
  readonly unused: number;
  readonly waiting: number;
}

const ours = new Set(["AIMService", "Deployment", "Service", "PersistentVolumeClaim", "HTTPRoute", "AIMTemplateCache"]);

type Body = { readonly status?: { readonly status?: string }; readonly involvedObject?: { readonly kind?: string } };
const bodyOf = ({ rest }: RecordedWrite): Body => (rest[0] ?? {}) as Body;
const tellsOfWaiting = (write: RecordedWrite): boolean => bodyOf(write).status?.status === "Pending";
const isEventOfService = (write: RecordedWrite): boolean =>
  write.kind.kind === "Event" && bodyOf(write).involvedObject?.kind === "AIMService";

export async function measureFleet(size: FleetSize): Promise<FleetReport> {
  const api = createApi({ store: openMemoryStore(), resources: builtInResources() });
  await api.ready;
  const client = createClient(api.transport({ user: "bench", groups: ["system:masters"] }));
  const { kinds, reconcilers } = createAim();
  for (const kind of kinds)
    await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "bench", force: true });
  await prepare(client);
  const writes: RecordedWrite[] = [];
  const clock = new LeapingClock();
  const runtime = createRuntime({ client: recordWrites(client, writes), reconcilers, answers: answers(), clock });
  await runtime.start();
  const began = performance.now();
  const used = process.cpuUsage();
  await applyFleet(client, size);
  // Each service has a Deployment, an address and a claim for its weights.
  while (childrenIn(writes).length < 3 * size.services) await sleep(250);
  await atRest(runtime);
  const { user, system } = process.cpuUsage(used);
  const made = [...writes];
  const passes = await passesOf(runtime);
  clock.leap(60_000);
  await atRest(runtime);
  const rested = writes.length - made.length;
  const woken = await measureWaking(client, runtime, size);
  await runtime.stop();
  await api.close();
  const byServices = made.filter(({ kind }) => ours.has(kind.kind));
  return {
    took: lastOf(childrenIn(made)) - began,
    whole: lastOf(made) - began,
    processor: (user + system) / 1000,
    writes: byServices.length,
    waits: byServices.filter(tellsOfWaiting).length,
    events: made.filter(isEventOfService).length,
    passes,
    atRest: rested,
    ...woken,
  };
}

/** One template changes: of those that run on it, of those that run on another of the same model, and of those that wait for any of a model. */
async function measureWaking(client: KubeClient, runtime: Runtime, { models, services }: FleetSize) {
  const chosen = await client.get(AIMService, { namespace, name: "service-0" });
  const used = chosen.status?.resolvedTemplate?.name ?? "";
  const other = ["model-0-0", "model-0-1"].find((name) => name !== used) ?? "";
  await applyWaiting(client);
  await atRest(runtime);
  return {
    woken: {
      users: await countPasses(runtime, () => patchTemplate(client, used)),
      unused: await countPasses(runtime, () => patchTemplate(client, other)),
      waiting: await countPasses(runtime, () => patchTemplate(client, "absent-0-0")),
    },
    concerned: { users: Math.ceil(services / models), unused: 0, waiting: waitingEach },
  };
}

async function patchTemplate(client: KubeClient, name: string): Promise<void> {
  const body = { metadata: { annotations: { touched: "once" } } };
  await client.patch(AIMClusterServiceTemplate, { name }, { type: "merge", body });
}

async function countPasses(runtime: Runtime, change: () => Promise<void>): Promise<number> {
  const before = await passesOf(runtime);
  await change();
  await atRest(runtime);
  return (await passesOf(runtime)) - before;
}

async function passesOf(runtime: Runtime): Promise<number> {
  const metric = await runtime.registry.getSingleMetric("trivium_passes_total")?.get();
  const counted = metric?.values.filter(({ labels }) => labels.reconciler === "aim.service") ?? [];
  return counted.reduce((sum, { value }) => sum + value, 0);
}

/** Nothing queued, and Events, which go their own way, written. */
async function atRest(runtime: Runtime): Promise<void> {
  await sleep(300);
  await runtime.whenIdle();
  await sleep(300);
  await runtime.whenIdle();
}

const childrenIn = (writes: readonly RecordedWrite[]): RecordedWrite[] =>
  writes.filter(
    ({ kind, at }) => at !== undefined && (kind === Deployment || kind === Service || kind === PersistentVolumeClaim),
  );

const lastOf = (writes: readonly RecordedWrite[]): number => Math.max(...writes.map(({ at = 0 }) => at));

function answers(): Answered[] {
  return [answer(isServed, async () => false), answer(imageConfig, async () => undefined)] as Answered[];
}
