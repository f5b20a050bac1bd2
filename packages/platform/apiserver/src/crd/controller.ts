import { deepEqual, formatTime } from "@trivium/std";
import type { Backend } from "../call.ts";
import { idleWorker, KeyQueue, type Worker } from "../controllers/worker.ts";
import type { Resource } from "../resource.ts";
import { crdFinalizer, deleteStored } from "../storage/deletion.ts";
import { objectAt } from "../storage/storage.ts";
import { StoreConflict, type Stored } from "../store/store.ts";
import { type Definition, definitionsStore } from "./definition.ts";
import { withDefinitionRules } from "./definition-rules.ts";
import { createNameBook, type NameBook } from "./name-book.ts";
import { definitionStatus, isEstablished } from "./names.ts";
import { customResources } from "./resources.ts";

type Log = (message: string, error?: unknown) => void;

/** Serves what CRDs describe, from the moment they are stored until their last instance is gone. */
export function startCustomResources(backend: Backend, log: Log): Worker {
  const { storage, registry, now } = backend;
  const definitions = registry.storageOf(definitionsStore);
  if (definitions === undefined) return idleWorker;
  const book = createNameBook();
  const leaving = new Set<string>();
  registry.replace(definitionsStore, [withDefinitionRules(definitions, book, now)]);
  const queue = new KeyQueue(
    (name) => settle(backend, book, name),
    (name, error) => log(`cannot settle CustomResourceDefinition ${name}`, error),
  );
  const serve = createServing(backend);
  const notice = (crd: Definition, stored: Stored): void => {
    const { name = "", deletionTimestamp } = crd.metadata;
    book.note(crd);
    serve(crd, stored.revision);
    if (deletionTimestamp === undefined) return;
    leaving.add(name);
    queue.add(name);
  };
  const forget = (name: string, group: string): void => {
    book.forget(name);
    leaving.delete(name);
    registry.replace(name, []);
    endWatches(backend, name);
    // Others may have waited for the names that are free now.
    for (const other of book.waitingIn(group)) queue.add(other);
  };
  storage.onCommit(({ op, resource, object, stored }) => {
    if (resource !== definitionsStore) {
      if (op === "delete" && leaving.has(resource)) queue.add(resource);
      return;
    }
    const crd = object as unknown as Definition;
    if (op === "put") notice(crd, stored);
    else forget(stored.key.name, crd.spec.group);
  });
  for (const stored of storage.store.list(definitionsStore)) notice(JSON.parse(stored.text) as Definition, stored);
  return queue.asWorker(Promise.resolve());
}

/** Puts the resources of a CRD into the registry, when something changed that they depend on. */
function createServing(backend: Backend): (crd: Definition, revision: number) => void {
  const { registry } = backend;
  const served = new Map<string, string>();
  return (crd, revision) => {
    const { name = "", uid, generation, deletionTimestamp } = crd.metadata;
    // Labels, annotations and conditions of a CRD change without any effect on its objects.
    const state = JSON.stringify([uid, generation, deletionTimestamp, isEstablished(crd), crd.status?.acceptedNames]);
    if (served.get(name) === state) return;
    served.set(name, state);
    registry.replace(name, isEstablished(crd) ? customResources(crd, revision) : []);
    endWatches(backend, name);
  };
}

/** Watchers come back and see the resource as it is now. */
function endWatches({ watches }: Backend, name: string): void {
  for (const watch of watches) if (watch.resource === name) watch.end();
}

/** Brings one CRD forward: empties it when it is being deleted, otherwise looks again at its names. */
async function settle(backend: Backend, book: NameBook, name: string): Promise<void> {
  const { storage, registry } = backend;
  const definitions = registry.storageOf(definitionsStore) as Resource;
  const stored = storage.get(definitions, "", name);
  if (stored === undefined) return;
  const object = objectAt(definitions, stored);
  const crd = object as unknown as Definition;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (!(await hasInstances(backend, name))) await release(backend, definitions, name);
    return;
  }
  const status = definitionStatus(crd, book.takenFrom(crd), backend.now());
  if (deepEqual(status, crd.status)) return;
  object.status = status as never;
  await storage.put(definitions, object, stored.revision);
}

/** Deletes the instances; those with finalizers stay until somebody takes these away. */
async function hasInstances(backend: Backend, name: string): Promise<boolean> {
  const { storage, registry } = backend;
  const resource = registry.storageOf(name);
  if (resource === undefined) return false;
  const deletions = Array.from(storage.store.list(name), (stored) =>
    deleteStored(backend, resource, stored, {}).catch((error: unknown) => {
      if (!(error instanceof StoreConflict)) throw error;
    }),
  );
  await Promise.all(deletions);
  return storage.store.count(name) > 0;
}

/** Takes our finalizer from a CRD that has no instances left. */
async function release({ storage, now }: Backend, definitions: Resource, name: string): Promise<void> {
  const stored = storage.get(definitions, "", name);
  if (stored === undefined) return;
  const object = objectAt(definitions, stored);
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== crdFinalizer);
  if (finalizers.length === 0) {
    delete object.metadata.finalizers;
    await storage.remove(definitions, object, stored.revision);
    return;
  }
  if (finalizers.length === object.metadata.finalizers?.length) return;
  object.metadata.finalizers = finalizers;
  const status = object.status as Definition["status"];
  const completed = { status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" };
  const conditions = (status?.conditions ?? []).map((one) =>
    one.type === "Terminating" ? { ...one, ...completed, lastTransitionTime: formatTime(now()) } : one,
  );
  object.status = { ...status, conditions } as never;
  await storage.put(definitions, object, stored.revision);
}
