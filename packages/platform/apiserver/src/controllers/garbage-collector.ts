import type { AnyObject, OwnerReference } from "@trivium/kube";
import { isReadyToGo } from "../admission/admission.ts";
import type { Backend } from "../call.ts";
import { storeName } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { deleteStored, type Propagation } from "../storage/deletion.ts";
import { objectAt } from "../storage/storage.ts";
import { type Key, StoreConflict, type Stored } from "../store/store.ts";
import { putAsController } from "./put-as-controller.ts";
import { KeyQueue, type Worker } from "./worker.ts";

/**
 * Deletes what nobody owns any more. Looks at an object when it is written or deleted and at nothing else: who owns whom
 * is kept by the store.
 */
export function startGarbageCollector(backend: Backend, log: (message: string, error?: unknown) => void): Worker {
  const { storage } = backend;
  const queue = new KeyQueue(
    (text) => settle(backend, JSON.parse(text) as Key),
    (text, error) => log(`cannot collect ${text}`, error),
  );
  const inspect = (key: Key): void =>
    queue.add(JSON.stringify({ resource: key.resource, namespace: key.namespace, name: key.name }));
  const noticePut = (object: AnyObject, stored: Stored): void => {
    if (isWaiting(object)) inspect(stored.key);
    const owners = object.metadata.ownerReferences;
    if (owners === undefined || object.metadata.deletionTimestamp !== undefined) return;
    if (owners.some((owner) => ownerState(backend, object, owner).is !== "solid")) inspect(stored.key);
  };
  const noticeDelete = (object: AnyObject): void => {
    for (const dependent of storage.store.ownedBy(object.metadata.uid ?? "")) inspect(dependent.key);
    for (const owner of object.metadata.ownerReferences ?? []) {
      const state = ownerState(backend, object, owner);
      if (state.is === "waiting") inspect(state.stored.key);
    }
  };
  storage.onCommit(({ op, object, stored }) => (op === "put" ? noticePut(object, stored) : noticeDelete(object)));
  takeUp(backend, noticePut);
  return queue.asWorker(Promise.resolve());
}

/** What a stop of the server interrupted. Most objects are passed over without being parsed. */
function takeUp({ registry, storage }: Backend, notice: (object: AnyObject, stored: Stored) => void): void {
  for (const name of new Set(registry.all().map(storeName))) {
    for (const stored of storage.store.list(name)) {
      if (/"(ownerReferences|deletionTimestamp)":/.test(stored.text))
        notice(JSON.parse(stored.text) as AnyObject, stored);
    }
  }
}

const isWaiting = ({ metadata }: AnyObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.finalizers ?? []).some((name) => name === "orphan" || name === "foregroundDeletion");

/** `solid`: there, or not for us to judge. `waiting`: there until its dependents are gone. */
type OwnerState =
  | { readonly is: "solid" }
  | { readonly is: "absent" }
  | { readonly is: "waiting"; readonly stored: Stored };

const solid: OwnerState = { is: "solid" };

/** An owner is looked for in the namespace of its dependent; one of that name elsewhere is another object. */
function ownerState({ registry, storage }: Backend, dependent: AnyObject, owner: OwnerReference): OwnerState {
  const slash = owner.apiVersion.indexOf("/");
  const resource = registry.findKind(slash === -1 ? "" : owner.apiVersion.slice(0, slash), owner.kind);
  const namespace = dependent.metadata.namespace ?? "";
  if (resource === undefined || (resource.namespaced && namespace === "")) return solid;
  const stored = storage.get(resource, resource.namespaced ? namespace : "", owner.name);
  if (stored === undefined || stored.uid !== owner.uid) return { is: "absent" };
  if (!stored.text.includes('"foregroundDeletion"')) return solid;
  const { metadata } = JSON.parse(stored.text) as AnyObject;
  const isLeaving = metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes("foregroundDeletion");
  return isLeaving ? { is: "waiting", stored } : solid;
}

async function settle(backend: Backend, key: Key): Promise<void> {
  const resource = backend.registry.storageOf(key.resource);
  const stored = backend.storage.store.get(key);
  if (resource === undefined || stored === undefined) return;
  const object = objectAt(resource, stored);
  try {
    if (isWaiting(object)) await settleOwner(backend, resource, { object, stored });
    else await settleDependent(backend, resource, { object, stored });
  } catch (error) {
    // Whoever was faster has told us of the new state already.
    if (!(error instanceof StoreConflict)) throw error;
  }
}

interface Item {
  readonly object: AnyObject;
  readonly stored: Stored;
}

async function settleDependent(backend: Backend, resource: Resource, { object, stored }: Item): Promise<void> {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0 || object.metadata.deletionTimestamp !== undefined) return;
  const kept = owners.filter((owner) => ownerState(backend, object, owner).is === "solid");
  if (kept.length === owners.length) return;
  if (kept.length > 0) {
    object.metadata.ownerReferences = kept;
    await putAsController(backend, resource, { stored, next: object });
    return;
  }
  const isWaitedFor = owners.some((owner) => ownerState(backend, object, owner).is === "waiting");
  const hasDependents = backend.storage.store.ownedBy(stored.uid).length > 0;
  const foreground: { propagation?: Propagation } = isWaitedFor && hasDependents ? { propagation: "Foreground" } : {};
  await deleteStored(backend, resource, stored, { ...background(object), ...foreground });
}

/** The default of a kind is for people; here only what the object itself says counts. */
function background(object: AnyObject): { propagation?: Propagation } {
  const named = (object.metadata.finalizers ?? []).some((name) => name === "orphan" || name === "foregroundDeletion");
  return named ? {} : { propagation: "Background" };
}

/** An owner that is being deleted lets its dependents go, or sees them out, and then goes itself. */
async function settleOwner(backend: Backend, resource: Resource, { object, stored }: Item): Promise<void> {
  const dependents = backend.storage.store.ownedBy(stored.uid);
  if (object.metadata.finalizers?.includes("orphan")) {
    await Promise.all(dependents.map((dependent) => disown(backend, dependent, stored.uid)));
    return dropFinalizer(backend, resource, { stored, finalizer: "orphan" });
  }
  await Promise.all(
    dependents.map(async (dependent) => {
      const kind = backend.registry.storageOf(dependent.key.resource);
      if (kind === undefined) return;
      await settleDependent(backend, kind, { object: objectAt(kind, dependent), stored: dependent }).catch(
        ignoreConflict,
      );
    }),
  );
  const isBlocked = backend.storage.store.ownedBy(stored.uid).some((dependent) => blocks(dependent, stored.uid));
  if (!isBlocked) await dropFinalizer(backend, resource, { stored, finalizer: "foregroundDeletion" });
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof StoreConflict)) throw error;
}

function blocks(dependent: Stored, uid: string): boolean {
  const { metadata } = JSON.parse(dependent.text) as AnyObject;
  return (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}

async function disown(backend: Backend, dependent: Stored, uid: string): Promise<void> {
  const resource = backend.registry.storageOf(dependent.key.resource);
  if (resource === undefined) return;
  const object = objectAt(resource, dependent);
  const owners = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  if (owners.length > 0) object.metadata.ownerReferences = owners;
  else delete object.metadata.ownerReferences;
  await putAsController(backend, resource, { stored: dependent, next: object }).catch(ignoreConflict);
}

async function dropFinalizer(
  backend: Backend,
  resource: Resource,
  { stored, finalizer }: { stored: Stored; finalizer: string },
): Promise<void> {
  const latest = backend.storage.store.get(stored.key);
  if (latest === undefined || latest.uid !== stored.uid) return;
  const object = objectAt(resource, latest);
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  if (isReadyToGo(object)) await backend.storage.remove(resource, object, latest.revision);
  else await putAsController(backend, resource, { stored: latest, next: object });
}
