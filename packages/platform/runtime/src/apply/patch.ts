import {
  apiVersionOf,
  type Condition,
  findCondition,
  isReason,
  type Kind,
  type KubeObject,
  mergeConditions,
  type OwnerReference,
  Pod,
  type Ref,
  replaceConditions,
} from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { assertNever, cloneJson, deepEqual, type Json, type JsonObject } from "@trivium/std";
import { isAdopting } from "../adopt/policy.ts";
import { childId } from "./child.ts";
import { formerManagersOf, type ManagedPart, releaseFormer } from "./former-names.ts";
import { fail } from "./refusal.ts";
import { contains, digest, ownsOnly, touchable } from "./satisfied.ts";
import type { WriteContext } from "./write-context.ts";

/** Fields of others' objects are applied under a name of their own: under the reconciler's they would take its children apart. */
export const patchManagerOf = (reconciler: string): string => `${reconciler}.touch`;
const ofPatch: ManagedPart = { managerOf: patchManagerOf };

type Of<T extends Patch["patch"]> = Extract<Patch, { patch: T }>;

/** Changes the little that was decided of an object that is there; one that is not is not missed. */
export async function applyPatch(context: WriteContext, patch: Patch): Promise<void> {
  const target = targetOf(patch, context.object.metadata.namespace);
  const live = context.caches.of(target.kind).get(target.ref);
  if (live === undefined || isLeftToOther(context, patch, live)) return;
  const { report } = context;
  const before = report.changes;
  await carryOut(context, patch, target, live).catch((error: unknown) => fail(context, target, error));
  if (patch.events !== undefined && report.changes > before) report.events.push({ object: live, note: patch.events });
}

/** What another operator serves is not changed before an administrator agrees, by whichever reconciler. */
const isLeftToOther = ({ adopt, caches }: WriteContext, { patch }: Patch, live: KubeObject): boolean =>
  patch === "status" && !isAdopting(adopt) && caches.fieldRecord.reporterOf(live) !== undefined;

interface Target {
  readonly kind: Kind;
  readonly ref: Ref;
}

function targetOf(patch: Patch, home: string | undefined): Target {
  if (patch.patch === "bind" || patch.patch === "evict") return { kind: Pod, ref: inside(Pod, patch.ref, home) };
  const { kind } = patch;
  const ref =
    patch.patch === "fields" ? { ...patch.object.metadata, name: patch.object.metadata.name ?? "" } : patch.ref;
  return { kind, ref: inside(kind, ref, home) };
}

function inside(kind: Kind, { namespace, name }: Ref, home: string | undefined): Ref {
  return kind.namespaced ? { namespace: namespace ?? home, name } : { name };
}

async function carryOut(context: WriteContext, patch: Patch, target: Target, live: KubeObject): Promise<void> {
  switch (patch.patch) {
    case "fields":
      return patchFields(context, patch, target, live);
    case "owners":
      return changeOwners(context, target, patch);
    case "scale":
      return scale(context, patch, target, live);
    case "bind":
      return bind(context, patch, target, live);
    case "status":
      return patchStatus(context, patch, target, live);
    case "finalizers":
      return takeOffFinalizers(context, patch, target, live);
    case "delete":
      return remove(context, patch, target, live);
    case "evict":
      return evict(context, patch, target, live);
    default:
      return assertNever(patch);
  }
}

async function patchFields(
  context: WriteContext,
  patch: Of<"fields">,
  target: Target,
  live: KubeObject,
): Promise<void> {
  const { caches, memory, reader, reconciler } = context;
  const { kind, ref } = target;
  const metadata = { ...patch.object.metadata, ...(ref as { name: string; namespace?: string }) };
  const object = { ...patch.object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata } as KubeObject;
  const replicas = digest(object);
  const slot = `touch ${childId(kind, ref)}`;
  if (memory.isDone(reader, slot, replicas, sightOf(live))) return;
  const manager = patchManagerOf(reconciler.name);
  const applied = caches.fieldRecord.fieldsOf(live, manager);
  const former = formerManagersOf(context, live, ofPatch);
  if (former.length === 0 && contains(live, object) && (applied === undefined || ownsOnly(applied, object))) return;
  const aimed = { ...object, metadata: { ...metadata, uid: live.metadata.uid ?? "" } };
  const written = await tell(context, target.kind, async () => {
    const first = await context.client.apply(kind, aimed, { fieldManager: manager, force: true });
    return releaseFormer(context, { kind, ref, written: first }, former, ofPatch);
  });
  memory.note(reader, slot, replicas, sightOf(written));
}

const sightOf = (object: KubeObject) => ({ version: object.metadata.resourceVersion, content: touchable(object) });

interface OwnerChange {
  readonly add?: readonly OwnerReference[];
  readonly remove?: readonly string[];
}

/** By uid and not over a version: others may write the object meanwhile, as long as it is the same one. */
export async function changeOwners(context: WriteContext, target: Target, change: OwnerChange): Promise<void> {
  const live = context.caches.of(target.kind).get(target.ref);
  if (live === undefined) return;
  const there = live.metadata.ownerReferences ?? [];
  const add = (change.add ?? []).filter((owner) => !there.some((other) => contains(other, owner)));
  const remove = (change.remove ?? []).filter((uid) => there.some((other) => other.uid === uid));
  if (add.length + remove.length === 0) return;
  const ownerReferences = [...add.map((owner) => ({ ...owner })), ...remove.map((uid) => ({ $patch: "delete", uid }))];
  const body = { metadata: { uid: live.metadata.uid ?? "", ownerReferences: cloneJson(ownerReferences) as Json } };
  const write = (type: "strategic" | "merge", content: JsonObject) =>
    tell(context, target.kind, () =>
      context.client.patch(target.kind, target.ref, { type, body: content }, { fieldManager: context.reconciler.name }),
    );
  try {
    await write("strategic", body);
  } catch (error) {
    if (!isReason(error, "UnsupportedMediaType")) throw error;
    // Custom kinds know no lists by key: there the whole list is written, over the version that was seen.
    const gone = new Set([...remove, ...add.map(({ uid }) => uid)]);
    const whole = [...there.filter(({ uid }) => !gone.has(uid)), ...add];
    const { uid = "", resourceVersion = "" } = live.metadata;
    await write("merge", { metadata: { uid, resourceVersion, ownerReferences: cloneJson(whole) as unknown as Json } });
  }
}

/** Whether a touch ends the object's control over another: that one is not to be pruned although nobody wants it. */
export function isLetGo(patch: Patch, object: KubeObject): patch is Of<"owners"> {
  return patch.patch === "owners" && (patch.remove?.includes(object.metadata.uid ?? "") ?? false);
}

/** Once for each version of the object: the wish stands in its spec afterwards, and others may wish otherwise. */
async function scale(context: WriteContext, patch: Of<"scale">, target: Target, live: KubeObject): Promise<void> {
  const { memory, reader } = context;
  const slot = `scale ${childId(target.kind, target.ref)}`;
  const replicas = String(patch.replicas);
  const sight = { version: live.metadata.resourceVersion, content: live.metadata.resourceVersion };
  if (memory.isDone(reader, slot, replicas, sight)) return;
  const request = { type: "merge", body: { spec: { replicas: patch.replicas } } } as const;
  const options = { fieldManager: context.reconciler.name, subresource: "scale" } as const;
  await tell(context, target.kind, () => context.client.patch(target.kind, target.ref, request, options));
  memory.note(reader, slot, replicas, sight);
}

async function bind(context: WriteContext, patch: Of<"bind">, target: Target, live: KubeObject): Promise<void> {
  if ((live as Pod).spec?.nodeName || live.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name } = target.ref;
  const kind: Kind = { group: "", version: "v1", kind: "Binding", plural: `pods/${name}/binding`, namespaced: true };
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid: live.metadata.uid ?? "" };
  const node = { apiVersion: "v1", kind: "Node", name: patch.node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata, target: node };
  context.report.writes += 1;
  await context.client.create(kind, binding, { fieldManager: context.reconciler.name });
  context.report.changes += 1;
  const isBound = (pod: KubeObject | undefined) =>
    pod?.metadata.uid !== live.metadata.uid || !!(pod as Pod).spec?.nodeName;
  context.report.settling.push(context.caches.of(Pod).whenObject(target.ref, isBound));
}

/** A patch and no apply: others own conditions beside ours, and which of them are ours changes from pod to pod. */
async function patchStatus(
  context: WriteContext,
  patch: Of<"status">,
  target: Target,
  live: KubeObject,
): Promise<void> {
  const there = (live as { status?: JsonObject }).status ?? {};
  const { conditions, ...fields } = patch.status;
  const isSame = Object.entries(fields).every(([key, value]) => deepEqual(there[key] ?? null, value));
  const wanted = (conditions ?? []) as unknown as Condition[];
  const old = (there.conditions ?? []) as unknown as Condition[];
  const changed = wanted.filter((condition) => !contains(findCondition(old, condition.type), condition));
  if (isSame && changed.length === 0) return;
  const merged = changed.length === 0 ? {} : { conditions: cloneJson(mergeConditions(old, changed, context.now)) };
  const body = {
    metadata: { uid: live.metadata.uid ?? "" },
    status: { ...fields, ...merged } as unknown as JsonObject,
  };
  const options = { fieldManager: context.reconciler.name, subresource: "status" } as const;
  const write = (type: "strategic" | "merge", content: JsonObject) =>
    tell(context, target.kind, () => context.client.patch(target.kind, target.ref, { type, body: content }, options));
  // Fields mean the same in both forms, and custom kinds accept only a merge patch.
  if (changed.length === 0) return void (await write("merge", body));
  try {
    await write("strategic", body);
  } catch (error) {
    if (!isReason(error, "UnsupportedMediaType")) throw error;
    await write("merge", withWholeConditions(live, body.status));
  }
}

/** Custom kinds have no lists by key: there the whole list is written, over the version that was seen. */
function withWholeConditions(live: KubeObject, status: JsonObject): JsonObject {
  const { conditions } = (live as { status?: { conditions?: Condition[] } }).status ?? {};
  const whole = replaceConditions(conditions, (status.conditions ?? []) as unknown as Condition[]);
  const { uid = "", resourceVersion = "" } = live.metadata;
  return { metadata: { uid, resourceVersion }, status: { ...status, conditions: cloneJson(whole) as unknown as Json } };
}

async function takeOffFinalizers(
  context: WriteContext,
  patch: Of<"finalizers">,
  target: Target,
  live: KubeObject,
): Promise<void> {
  const there = live.metadata.finalizers ?? [];
  const remove = patch.remove.filter((name) => there.includes(name));
  if (remove.length === 0) return;
  const { caches, client, reconciler, report } = context;
  const { uid = "", deletionTimestamp } = live.metadata;
  const body = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": remove } };
  const options = { fieldManager: reconciler.name };
  report.writes += 1;
  const request = { type: "strategic", body } as const;
  const written = await client.patch(target.kind, target.ref, request, options).catch(unlessGone);
  report.changes += 1;
  const cache = caches.of(target.kind);
  // With its last finalizer an object that is being deleted goes, and its end is what the cache will see.
  const isLast = deletionTimestamp !== undefined && there.length === remove.length;
  report.settling.push(
    isLast || written === undefined
      ? cache.whenGone(target.ref, uid)
      : cache.sightings.whenReached(written.metadata.resourceVersion),
  );
}

function unlessGone(error: unknown): undefined {
  if (isReason(error, "NotFound")) return undefined;
  throw error;
}

async function remove(context: WriteContext, patch: Of<"delete">, target: Target, live: KubeObject): Promise<void> {
  const { deletionTimestamp, uid } = live.metadata;
  const { graceSeconds } = patch;
  // One that is on its way already can only be hurried.
  if (uid !== patch.uid || (deletionTimestamp !== undefined && graceSeconds !== 0)) return;
  const grace = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds };
  context.report.writes += 1;
  try {
    const options = { propagationPolicy: "Background", preconditions: { uid }, ...grace } as const;
    await context.client.delete(target.kind, target.ref, options);
  } catch (error) {
    if (!isReason(error, "NotFound")) throw error;
  }
  context.report.changes += 1;
  context.report.settling.push(context.caches.of(target.kind).whenLeaving(target.ref, uid));
}

/** The API server asks the disruption budgets; where they forbid it, it is tried again later and the reason is told. */
async function evict(context: WriteContext, patch: Of<"evict">, target: Target, live: KubeObject): Promise<void> {
  const { deletionTimestamp, uid } = live.metadata;
  if (uid !== patch.uid || deletionTimestamp !== undefined) return;
  const { namespace, name } = target.ref;
  const kind: Kind = { group: "", version: "v1", kind: "Eviction", plural: `pods/${name}/eviction`, namespaced: true };
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const deleteOptions = { preconditions: { uid } };
  context.report.writes += 1;
  try {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
    await context.client.create(kind, eviction);
  } catch (error) {
    if (isReason(error, "NotFound")) return;
    const words = error instanceof Error ? error.message : String(error);
    const isRefusal = isReason(error, "TooManyRequests", "Forbidden");
    if (patch.refused === undefined || !isRefusal) throw error;
    context.report.notes.push({ ...patch.refused, message: `${patch.refused.message}: ${words}` });
    context.report.failures.push(new Error(`Pod ${name} cannot be evicted: ${words}`, { cause: error }));
    return;
  }
  context.report.changes += 1;
  if (patch.evicted !== undefined) context.report.notes.push(patch.evicted);
  context.report.settling.push(context.caches.of(Pod).whenLeaving(target.ref, uid ?? ""));
}

/** One write, counted, and waited for by the caches. */
async function tell<O extends KubeObject>(context: WriteContext, kind: Kind, write: () => Promise<O>): Promise<O> {
  const { caches, report } = context;
  report.writes += 1;
  const written = await write();
  report.changes += 1;
  report.settling.push(caches.of(kind).sightings.whenReached(written.metadata.resourceVersion));
  return written;
}
