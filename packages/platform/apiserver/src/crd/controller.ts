import type { AnyObject } from "@trivium/kube";
import { deepEqual, formatTime } from "@trivium/std";
import type { Backend } from "../call.ts";
import { crdFinalizer, deleteStored } from "../deletion.ts";
import type { Resource } from "../resource.ts";
import { objectAt } from "../storage.ts";
import { StoreConflict } from "../store/store.ts";
import { KeyQueue, type Worker } from "../worker.ts";
import { type Definition, definitionsStore } from "./definition.ts";
import { faultsOfDefinition } from "./faults.ts";
import { definitionStatus, isEstablished, namesTakenBy } from "./names.ts";
import { customResources } from "./resources.ts";

type Log = (message: string, error?: unknown) => void;

/** Serves what CRDs describe, from the moment they are stored until their last instance is gone. */
export function startCustomResources(backend: Backend, log: Log): Worker {
  const { storage, registry } = backend;
  const definitions = registry.storageOf(definitionsStore);
  if (definitions === undefined)
    return { ready: Promise.resolve(), isBusy: false, idle: async () => undefined, stop: () => undefined };
  const served = new Map<string, Definition>();
  registry.replace(definitionsStore, [withDefinitionRules(definitions, backend)]);

  const queue = new KeyQueue(
    (name) => settle(backend, name),
    (name, error) => log(`cannot settle CustomResourceDefinition ${name}`, error),
  );
  const serve = (crd: Definition, revision: number): void => {
    const name = crd.metadata.name ?? "";
    if (!isEstablished(crd)) {
      registry.replace(name, []);
      return;
    }
    const before = served.get(name);
    // Status and labels of a CRD change without any effect on its objects.
    if (
      before !== undefined &&
      deepEqual(before.spec, crd.spec) &&
      deepEqual(before.status?.acceptedNames, crd.status?.acceptedNames)
    )
      return;
    served.set(name, crd);
    registry.replace(name, customResources(crd, revision));
  };

  storage.onCommit(({ op, resource, object, stored }) => {
    if (resource === definitionsStore) {
      const name = object.metadata.name ?? "";
      if (op === "put") {
        serve(object as unknown as Definition, stored.revision);
        if (object.metadata.deletionTimestamp !== undefined) queue.add(name);
        return;
      }
      served.delete(name);
      registry.replace(name, []);
      for (const watch of backend.watches) if (watch.resource === name) watch.end();
      // Others may have waited for the names that are free now.
      for (const other of readAll(backend)) if (!isEstablished(other)) queue.add(other.metadata.name ?? "");
    } else if (op === "delete" && served.get(resource)?.metadata.deletionTimestamp !== undefined) queue.add(resource);
  });
  for (const stored of storage.store.list(definitionsStore)) {
    const crd = JSON.parse(stored.text) as Definition;
    serve(crd, stored.revision);
    if (crd.metadata.deletionTimestamp !== undefined) queue.add(crd.metadata.name ?? "");
  }
  return {
    ready: Promise.resolve(),
    get isBusy() {
      return queue.isBusy;
    },
    idle: () => queue.idle(),
    stop: () => queue.stop(),
  };
}

function readAll({ storage }: Backend): Definition[] {
  return Array.from(storage.store.list(definitionsStore), (stored) => JSON.parse(stored.text) as Definition);
}

function othersInGroup(backend: Backend, crd: Definition): Definition[] {
  return readAll(backend).filter(
    ({ spec, metadata }) => spec.group === crd.spec.group && metadata.name !== crd.metadata.name,
  );
}

/** The built-in resource of CRDs, with the rules that need to know what else is served. */
function withDefinitionRules(resource: Resource, backend: Backend): Resource {
  const { strategy } = resource;
  const decide = (object: AnyObject): void => {
    const crd = object as unknown as Definition;
    object.status = definitionStatus(crd, namesTakenBy(othersInGroup(backend, crd)), backend.now()) as never;
  };
  return {
    ...resource,
    strategy: {
      ...strategy,
      allowsUnconditionalUpdate: false,
      applyDefaults: (object, old) => {
        object.spec ??= {};
        const spec = object.spec as { names?: object };
        spec.names ??= {};
        strategy.applyDefaults(object, old);
      },
      prepareForCreate: decide,
      prepareForUpdate: (object) => {
        if (object.metadata.deletionTimestamp === undefined) decide(object);
      },
      validate: (object, old) => [
        ...strategy.validate(object, old),
        ...faultsOfDefinition(object as unknown as Definition, old as unknown as Definition | undefined),
      ],
      warnings: (object) => [
        ...(strategy.warnings?.(object) ?? []),
        ...conversionWarning(object as unknown as Definition),
      ],
    },
  };
}

function conversionWarning({ spec }: Definition): string[] {
  if (spec.conversion?.strategy !== "Webhook" || spec.versions.length < 2) return [];
  return ["spec.conversion: webhooks are not called by this server; versions are converted by apiVersion alone"];
}

/** Brings one CRD forward: empties it when it is being deleted, otherwise looks again at its names. */
async function settle(backend: Backend, name: string): Promise<void> {
  const { storage, registry } = backend;
  const definitions = registry.storageOf(definitionsStore) as Resource;
  const stored = storage.get(definitions, "", name);
  if (stored === undefined) return;
  const object = objectAt(definitions, stored);
  const crd = object as unknown as Definition;
  if (object.metadata.deletionTimestamp === undefined) {
    const status = definitionStatus(crd, namesTakenBy(othersInGroup(backend, crd)), backend.now());
    if (deepEqual(status, crd.status)) return;
    object.status = status as never;
    await storage.put(definitions, object, stored.revision);
    return;
  }
  if (!object.metadata.finalizers?.includes(crdFinalizer)) return;
  if (await hasInstances(backend, name)) return;
  // Deleting the instances took time; the CRD may have changed meanwhile.
  const latest = storage.get(definitions, "", name);
  if (latest === undefined) return;
  const last = objectAt(definitions, latest);
  const finalizers = (last.metadata.finalizers ?? []).filter((one) => one !== crdFinalizer);
  if (finalizers.length === 0) {
    delete last.metadata.finalizers;
    await storage.remove(definitions, last, latest.revision);
    return;
  }
  last.metadata.finalizers = finalizers;
  const conditions = ((last.status as { conditions?: { type: string }[] } | undefined)?.conditions ?? []).map((one) =>
    one.type === "Terminating"
      ? {
          ...one,
          status: "False",
          reason: "InstanceDeletionCompleted",
          message: "removed all instances",
          lastTransitionTime: formatTime(backend.now()),
        }
      : one,
  );
  last.status = { ...(last.status as object | undefined), conditions } as never;
  await storage.put(definitions, last, latest.revision);
}

/** Deletes the instances; those with finalizers stay until somebody takes these away. */
async function hasInstances(backend: Backend, name: string): Promise<boolean> {
  const { storage, registry } = backend;
  const resource = registry.storageOf(name);
  if (resource === undefined) return false;
  const instances = [...storage.store.list(name)];
  await Promise.all(
    instances.map((stored) =>
      deleteStored(backend, resource, stored, {}).catch((error: unknown) => {
        if (!(error instanceof StoreConflict)) throw error;
      }),
    ),
  );
  return storage.store.count(name) > 0;
}
