import type { Note } from "@trivium/reconcile";
import { condition, conditionsFor, generationOf, noFailure } from "../conditions.ts";
import { eventsOf } from "./events.ts";
import type { LoweredKVCache } from "./lower.ts";
import { type KVCache, type KVCacheStatus, port } from "./names/names.ts";
import type { ObservedKVCache } from "./observe.ts";

export function raiseKVCache(
  cache: KVCache,
  { server, address, outcome }: LoweredKVCache,
  { set }: ObservedKVCache,
): { status: KVCacheStatus; notes: Note[] } {
  const { state, reason, message } = outcome;
  const reported = { reason, message };
  const status: KVCacheStatus = {
    ...generationOf(cache),
    status: state,
    statefulSetName: server.name,
    serviceName: address.name,
    endpoint: `redis://${address.name}.${cache.metadata.namespace}:${port}`,
    replicas: 1,
    readyReplicas: set.is === "known" ? set.value.ready : 0,
    storageSize: String(server.claims[0]?.size ?? ""),
    ...(state === "Failed" ? { lastError: message } : {}),
    conditions: conditionsFor(cache, [
      condition("Ready", state === "Ready" ? "True" : "False", reported),
      condition("Progressing", state === "Progressing" ? "True" : "False", reported),
      state === "Failed"
        ? condition("Failure", "True", reported)
        : noFailure("NoFailure", { isReady: state === "Ready", message }),
    ]),
  };
  return { status, notes: eventsOf(outcome) };
}
