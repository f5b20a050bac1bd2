import { emitService, emitStatefulSet } from "@trivium/emitters";
import { Service, StatefulSet } from "@trivium/kube";
import { type Decision, type Desired, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { kvCachePaths } from "../field-paths.ts";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { raiseRefused } from "../refused.ts";
import { created } from "./events.ts";
import { type LoweredKVCache, lowerKVCache } from "./lower.ts";
import type { KVCache, KVCacheStatus } from "./names/names.ts";
import { kvCacheReads, type ObservedKVCache, observeKVCache } from "./observe.ts";
import { raiseKVCache } from "./raise.ts";

export function kvCacheReconciler(): Reconciler<KVCache, ObservedKVCache, (typeof kvCacheReads)[number]> {
  return {
    name: "aim.kv-cache",
    kind: AIMKVCache,
    reads: kvCacheReads,
    writes: [StatefulSet, Service],
    controls: [],
    observe: observeKVCache,
    decide(cache, observed): Decision<KVCacheStatus> {
      if (hasUnresolved(observed)) return { do: "hold", status: cache.status ?? {} };
      const lowered = lowerKVCache(cache, observed);
      return { do: "converge", children: emitParts(lowered), ...raiseKVCache(cache, lowered, observed) };
    },
    refused(cache, status, refusals) {
      const refused = raiseRefused({ paths: kvCachePaths, state: "Failed" }, cache, status, refusals);
      const failure = refused.conditions?.find(({ type }) => type === "Failure");
      return failure?.status === "True" ? { ...refused, lastError: failure.message } : refused;
    },
  };
}

const emitParts = ({ address, server }: LoweredKVCache): Desired[] => [
  { ...emitService(address), events: created("ServiceCreation", `Service ${address.name}`) },
  { ...emitStatefulSet(server), events: created("StatefulSetCreation", `StatefulSet ${server.name}`) },
];
