import type { AnyObject, ResourceQuota } from "@trivium/kube";
import { deepEqual, formatQuantity } from "@trivium/std";
import type { Backend } from "../call.ts";
import { putAsController } from "../controllers/put-as-controller.ts";
import { idleWorker, KeyQueue, type Worker } from "../controllers/worker.ts";
import { objectAt } from "../storage/storage.ts";
import { StoreConflict } from "../store/store.ts";
import { type Amounts, readAmounts } from "./amounts.ts";
import { countedResources } from "./tally.ts";

/** Keeps `status.hard` and `status.used` of quotas as they are counted. */
export function startQuotas(backend: Backend, log: (message: string, error?: unknown) => void): Worker {
  const { storage, registry } = backend;
  if (registry.storageOf("resourcequotas") === undefined) return idleWorker;
  const queue = new KeyQueue(
    (key) => writeStatus(backend, key),
    (key, error) => log(`cannot count for ResourceQuota ${key}`, error),
  );
  const add = (namespace: string, name: string): void => queue.add(`${namespace}/${name}`);
  const known = new WeakMap<object, readonly string[]>();
  storage.onCommit(({ resource, stored }) => {
    const { namespace, name } = stored.key;
    if (resource === "resourcequotas") add(namespace, name);
    if (namespace === "") return;
    for (const quota of storage.store.list("resourcequotas", { namespace })) {
      const counted = known.get(quota) ?? countedResources(JSON.parse(quota.text) as ResourceQuota);
      known.set(quota, counted);
      if (counted.includes(resource)) add(namespace, quota.key.name);
    }
  });
  for (const { key } of storage.store.list("resourcequotas")) add(key.namespace, key.name);
  return queue.asWorker(Promise.resolve());
}

async function writeStatus(backend: Backend, key: string): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  const resource = backend.registry.storageOf("resourcequotas");
  const stored = resource && backend.storage.get(resource, namespace, name);
  if (resource === undefined || stored === undefined) return;
  const live = objectAt(resource, stored);
  const quota = live as unknown as ResourceQuota;
  if (quota.metadata.deletionTimestamp !== undefined) return;
  // A quota that limits nothing has nothing to report.
  if (quota.status?.hard === undefined && Object.keys(quota.spec?.hard ?? {}).length === 0) return;
  const status = {
    hard: written(readAmounts(quota.spec?.hard)),
    used: written(backend.quotaUse(quota, backend.now())),
  };
  if (deepEqual(quota.status ?? {}, status)) return;
  const next = { ...live, metadata: { ...live.metadata }, status } as unknown as AnyObject;
  try {
    await putAsController(backend, resource, { stored, next, subresource: "status" });
  } catch (error) {
    // Somebody wrote in between; that write brings the key back.
    if (!(error instanceof StoreConflict)) throw error;
  }
}

const written = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
