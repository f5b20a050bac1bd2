import assert from "node:assert/strict";
import {
  groupResourceOf,
  Job,
  type Kind,
  type KubeClient,
  type KubeObject,
  PersistentVolumeClaim,
} from "@trivium/kube";
import type { AdoptPolicy, Log } from "@trivium/runtime";
import { deepEqual, type JsonObject } from "@trivium/std";
import { type Cluster, startCluster } from "../cluster.ts";
import { startWorld } from "../world.ts";
import { nameOfObject } from "./growth.ts";
import { Picker } from "./picker.ts";
import { type ManyServices, growthNamespace as namespace } from "./test-growth.ts";
import { childrenIn, type KindedObject, upstreamManager } from "./upstream-copy.ts";

const services = 2;
/** Jobs and claims of the other operator are used, whatever they look like. */
export const usedUnchanged: ReadonlySet<string> = new Set(["Job", "PersistentVolumeClaim"]);

/** A cluster with some services of a dialect, and no operator; with a seed they are random ones. */
export async function openServices(dialect: ManyServices, seed?: number): Promise<Cluster> {
  const cluster = await startCluster(dialect.kinds);
  await dialect.prepare?.(cluster.client);
  const pick = new Picker(seed ?? 0);
  for (let i = 0; i < services; i += 1) {
    const name = nameOfObject(i);
    await dialect.createService(cluster.client, name);
    const body = seed === undefined ? undefined : dialect.vary?.(pick);
    const { kind } = dialect.edit;
    if (body !== undefined) await cluster.client.patch(kind, { namespace, name }, { type: "merge", body });
  }
  return cluster;
}

/** Lets our operator work until it rests. */
export async function runOperator(
  { reconcilers, answers = [] }: ManyServices,
  cluster: Cluster,
  { adopt, log }: { readonly adopt: AdoptPolicy; readonly log?: Log },
) {
  const world = await startWorld({ cluster, reconcilers, answers, release: "one", adopt, ...(log && { log }) });
  await world.settle();
  await world.elapse(5_000);
  // Weights come before pods: a claim, then the Job that fills it.
  for (let i = 0; i < 2 && adopt !== "plan"; i += 1) {
    await endWork(cluster.client);
    await world.settle();
    await world.elapse(5_000);
  }
  return world;
}

/** What our operator creates where no other has been: children, and before them objects of the dialect's own kinds. */
export interface FreshInstallation {
  readonly children: readonly KindedObject[];
  readonly made: readonly KindedObject[];
  /** Objects of the dialect's kinds with the status that they have in the end. */
  readonly reported: readonly KindedObject[];
}

export async function installFresh(dialect: ManyServices, seed?: number): Promise<FreshInstallation> {
  const cluster = await openServices(dialect, seed);
  const applied = new Set((await allOf(dialect, cluster.client)).map(keyOf));
  const world = await runOperator(dialect, cluster, { adopt: "safe" });
  const children = await childrenIn(cluster.client, writtenKinds(dialect));
  const reported = await allOf(dialect, cluster.client);
  const made = reported.filter((one) => !applied.has(keyOf(one)));
  await world.stop();
  await cluster.close();
  return { children, made, reported };
}

async function allOf({ kinds }: ManyServices, client: KubeClient): Promise<KindedObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) =>
      (await client.list(kind as Kind, {})).items.map((object) => ({ kind: kind as Kind, object })),
    ),
  );
  return lists.flat();
}

/** How another operator creates a child for owners of this cluster; nothing where it does not create it. */
export type Copy = (child: KindedObject, owners: ReadonlyMap<string, string>) => KubeObject | undefined;

/** Children of another operator, owned by the objects of this cluster, and statuses that it has written. */
export async function leaveAsUpstream(
  dialect: ManyServices,
  client: KubeClient,
  { fresh, copy }: { readonly fresh: FreshInstallation; readonly copy: Copy },
): Promise<void> {
  const owners = new Map<string, string>();
  // Children can own children: those are created after their owners.
  const waiting = [...fresh.made, ...fresh.children];
  for (let rounds = 0; waiting.length > 0 && rounds < 10; rounds += 1) {
    for (const kind of [...dialect.kinds, ...writtenKinds(dialect)])
      for (const { metadata } of (await client.list(kind, {}).catch(() => ({ items: [] as KubeObject[] }))).items)
        owners.set(`${kind.kind} ${metadata.name}`, metadata.uid ?? "");
    const ready = waiting.filter(({ object }) =>
      (object.metadata.ownerReferences ?? []).every((owner) => owners.has(`${owner.kind} ${owner.name}`)),
    );
    for (const child of ready) {
      waiting.splice(waiting.indexOf(child), 1);
      const theirs = copy(child, owners);
      if (theirs !== undefined) await client.create(child.kind, theirs, upstreamManager);
    }
  }
  assert.deepEqual(waiting.map(keyOf), [], "every child has an owner");
  await endWork(client);
  const kinds = new Set<Kind>([dialect.edit.kind, ...fresh.made.map(({ kind }) => kind)]);
  for (const one of fresh.reported) if (kinds.has(one.kind)) await reportAsUpstream(one, client);
}

/** Volumes are bound and Jobs succeed, as their controllers report it. */
async function endWork(client: KubeClient): Promise<void> {
  const time = "2026-01-01T00:00:00Z";
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time,
  }));
  const ended = { startTime: time, completionTime: time, succeeded: 1, conditions };
  const report = async (kind: Kind, status: JsonObject, isDue: (status: JsonObject) => boolean): Promise<void> => {
    for (const { metadata, status: now = {} } of (await client.list(kind, { namespace })).items as WithStatus[]) {
      if (!isDue(now)) continue;
      const ref = { namespace, name: metadata.name ?? "" };
      await client.patch(kind, ref, { type: "merge", body: { status } }, { subresource: "status" });
    }
  };
  await report(PersistentVolumeClaim, { phase: "Bound" }, ({ phase }) => phase !== "Bound");
  await report(Job, ended, (status) => status.completionTime === undefined);
}

type WithStatus = KubeObject & { readonly status?: JsonObject };

/** The other operator reports what we would, and a condition that we never write. */
async function reportAsUpstream({ kind, object }: KindedObject, client: KubeClient): Promise<void> {
  const { status = {}, metadata } = object as WithStatus;
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const condition = { type: "OfUpstream", status: "True", reason: "R", message: "m", lastTransitionTime };
  const conditions = [...((status.conditions ?? []) as JsonObject[]), condition];
  const ref = { ...(kind.namespaced ? { namespace } : {}), name: metadata.name ?? "" };
  const body = { status: { ...status, conditions } };
  await client.patch(kind, ref, { type: "merge", body }, { ...upstreamManager, subresource: "status" });
}

/** Kinds of children, without those that the dialect itself defines. */
export function writtenKinds({ kinds, reconcilers }: ManyServices): Kind[] {
  const own = new Set(kinds.map(groupResourceOf));
  const written = reconcilers.flatMap(({ writes }) => writes).filter((kind) => !own.has(groupResourceOf(kind)));
  return [...new Map(written.map((kind) => [groupResourceOf(kind), kind])).values()];
}

export const keyOf = ({ kind, object: { metadata } }: KindedObject): string => `${kind.kind} ${metadata.name}`;

/** The pod templates of all workloads, by name. */
export function templatesOf(children: readonly KindedObject[]): [string, JsonObject][] {
  return children.flatMap((child) => {
    const { spec } = child.object as { spec?: { template?: JsonObject } };
    return spec?.template === undefined || deepEqual(spec.template, {}) || usedUnchanged.has(child.kind.kind)
      ? []
      : [[keyOf(child), spec.template] as [string, JsonObject]];
  });
}
