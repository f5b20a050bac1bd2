import { type AnyObject, type Condition, type DecidedCondition, mergeConditions } from "@trivium/kube";
import { append, deepEqual } from "@trivium/std";
import { isReadyToGo } from "../admission/admission.ts";
import type { Backend } from "../call.ts";
import { storeName } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { deleteStored } from "../storage/deletion.ts";
import { objectAt } from "../storage/storage.ts";
import { StoreConflict, type Stored } from "../store/store.ts";
import { putAsController } from "./put-as-controller.ts";

/** Deletes all there is in a namespace; takes its finalizer away when nothing is left, or says what is. */
export async function clearNamespace(backend: Backend, resource: Resource, name: string): Promise<void> {
  const remaining = await deleteContent(backend, name);
  const stored = backend.storage.get(resource, "", name);
  if (stored === undefined) return;
  const namespace = objectAt(resource, stored);
  const status = (namespace.status ?? {}) as { conditions?: Condition[] };
  const conditions = mergeConditions(status.conditions, conditionsOf(remaining), backend.now());
  if (remaining.length > 0) {
    if (deepEqual(conditions, status.conditions)) return;
    namespace.status = { ...status, conditions } as never;
    await putAsController(backend, resource, { stored, next: namespace, subresource: "status" });
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
    append(remaining, storage.store.list(store, { namespace }));
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
