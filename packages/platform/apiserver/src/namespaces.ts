import { type AnyObject, type Condition, type DecidedCondition, isReason, mergeConditions } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import { isReadyToGo } from "./admission.ts";
import type { Backend } from "./call.ts";
import { deleteStored } from "./deletion.ts";
import { createInside } from "./inside.ts";
import { storeName } from "./registry.ts";
import type { Resource } from "./resource.ts";
import { objectAt } from "./storage.ts";
import { StoreConflict, type Stored } from "./store/store.ts";
import { KeyQueue, type Worker } from "./worker.ts";

export interface NamespacesOptions {
  readonly rootCertificate: string;
  log(message: string, error?: unknown): void;
}

const always = ["default", "kube-system", "kube-public", "kube-node-lease"];
const accountName = "default";
const certificateName = "kube-root-ca.crt";

/** Sees namespaces from their first day, when they get what every namespace has, to their last, when they are emptied. */
export function startNamespaces(backend: Backend, options: NamespacesOptions): Worker {
  const { storage, registry } = backend;
  const resource = registry.storageOf("namespaces");
  if (resource === undefined)
    return { ready: Promise.resolve(), isBusy: false, idle: async () => undefined, stop: () => undefined };
  const leaving = new Set<string>();
  const queue = new KeyQueue(
    (name) => settle(backend, name, options),
    (name, error) => options.log(`cannot settle namespace ${name}`, error),
  );
  storage.onCommit(({ op, resource: of, object, stored }) => {
    const { namespace, name } = stored.key;
    if (of === "namespaces") {
      if (op === "delete") leaving.delete(name);
      else if (object.metadata.deletionTimestamp !== undefined) leaving.add(name);
      if (op === "put") queue.add(name);
    } else if (op === "delete" && (leaving.has(namespace) || isStanding(of, name))) queue.add(namespace);
  });
  const ready = (async () => {
    for (const name of always) await createNamespace(backend, resource, name);
    for (const stored of storage.store.list("namespaces")) {
      if (stored.text.includes('"deletionTimestamp"')) leaving.add(stored.key.name);
      queue.add(stored.key.name);
    }
    await queue.idle();
  })();
  return {
    ready,
    get isBusy() {
      return queue.isBusy;
    },
    idle: () => queue.idle(),
    stop: () => queue.stop(),
  };
}

const isStanding = (resource: string, name: string): boolean =>
  (resource === "serviceaccounts" && name === accountName) || (resource === "configmaps" && name === certificateName);

async function createNamespace(backend: Backend, resource: Resource, name: string): Promise<void> {
  if (backend.storage.get(resource, "", name) !== undefined) return;
  await createInside(backend, resource, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

async function settle(backend: Backend, name: string, options: NamespacesOptions): Promise<void> {
  const resource = backend.registry.storageOf("namespaces") as Resource;
  const stored = backend.storage.get(resource, "", name);
  if (stored === undefined) return;
  const namespace = objectAt(resource, stored);
  if (namespace.metadata.deletionTimestamp === undefined) await furnish(backend, name, options.rootCertificate);
  else await clear(backend, resource, name);
}

/** A service account for pods and the certificate by which they know the server. */
async function furnish(backend: Backend, namespace: string, certificate: string): Promise<void> {
  const wanted: [string, AnyObject][] = [
    ["serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: accountName, namespace } }],
    [
      "configmaps",
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: certificateName,
          namespace,
          annotations: { "kubernetes.io/description": "The certificate that the API server proves itself with" },
        },
        data: { "ca.crt": certificate },
      },
    ],
  ];
  for (const [store, object] of wanted) {
    const resource = backend.registry.storageOf(store);
    if (resource === undefined || backend.storage.get(resource, namespace, object.metadata.name ?? "") !== undefined)
      continue;
    await createInside(backend, resource, object).catch((error: unknown) => {
      // The namespace may be going, or someone made the object first.
      if (!isReason(error, "AlreadyExists", "Forbidden", "NotFound")) throw error;
    });
  }
}

/** Deletes all there is in a namespace; takes its finalizer away when nothing is left, or says what is. */
async function clear(backend: Backend, resource: Resource, name: string): Promise<void> {
  const remaining = await deleteContent(backend, name);
  const stored = backend.storage.get(resource, "", name);
  if (stored === undefined) return;
  const namespace = objectAt(resource, stored);
  const status = (namespace.status ?? {}) as { conditions?: Condition[] };
  const conditions = mergeConditions(status.conditions, conditionsOf(remaining), backend.now());
  if (remaining.length > 0) {
    if (deepEqual(conditions, status.conditions)) return;
    namespace.status = { ...status, conditions } as never;
    await backend.storage.put(resource, namespace, stored.revision);
    return;
  }
  const spec = (namespace.spec ?? {}) as { finalizers?: string[] };
  const finalizers = (spec.finalizers ?? []).filter((one) => one !== "kubernetes");
  if (finalizers.length === (spec.finalizers ?? []).length && !isReadyToGo(namespace)) return;
  namespace.spec = finalizers.length > 0 ? { ...spec, finalizers } : {};
  if (status.conditions !== undefined) namespace.status = { ...status, conditions } as never;
  if (isReadyToGo(namespace)) await backend.storage.remove(resource, namespace, stored.revision);
  else await backend.storage.put(resource, namespace, stored.revision);
}

/** What is still there after everything was told to go. */
async function deleteContent(backend: Backend, namespace: string): Promise<Stored[]> {
  const { registry, storage } = backend;
  const stores = new Map(
    registry
      .all()
      .filter((one) => one.namespaced)
      .map((one) => [storeName(one), registry.storageOf(storeName(one)) ?? one]),
  );
  const remaining: Stored[] = [];
  for (const [store, resource] of stores) {
    const items = [...storage.store.list(store, { namespace })];
    await Promise.all(
      items.map((stored) =>
        deleteStored(backend, resource, stored, { propagation: "Background" }).catch((error: unknown) => {
          if (!(error instanceof StoreConflict)) throw error;
        }),
      ),
    );
    remaining.push(...storage.store.list(store, { namespace }));
  }
  return remaining;
}

const no = (type: string, reason: string, message: string): DecidedCondition => ({
  type,
  status: "False",
  reason,
  message,
});
const yes = (type: string, reason: string, message: string): DecidedCondition => ({
  type,
  status: "True",
  reason,
  message,
});

function conditionsOf(remaining: readonly Stored[]): DecidedCondition[] {
  const kinds = countBy(remaining.map(({ key }) => key.resource));
  const finalizers = countBy(
    remaining.flatMap(({ text }) => (JSON.parse(text) as AnyObject).metadata.finalizers ?? []),
  );
  return [
    no("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    no(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    no(
      "NamespaceDeletionContentFailure",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ),
    kinds.length === 0
      ? no("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : yes(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${kinds.map(([kind, count]) => `${kind.includes(".") ? kind : `${kind}.`} has ${count} resource instances`).join(", ")}`,
        ),
    finalizers.length === 0
      ? no("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : yes(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${finalizers.map(([name, count]) => `${name} in ${count} resource instances`).join(", ")}`,
        ),
  ];
}

function countBy(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
