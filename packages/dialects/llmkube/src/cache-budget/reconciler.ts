import { emitConfigMap, emitJob, keepObject } from "@trivium/emitters";
import { ConfigMap, Job, Namespace } from "@trivium/kube";
import { type Desired, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { cacheLabels } from "../inference-service/weights/storage.ts";
import { sharedCacheName } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import { budgetEvents } from "./events.ts";
import { evictionNameOf, planEviction } from "./eviction/plan-eviction.ts";
import { type CacheEntry, lowerEntries, nextTerm } from "./lower.ts";
import { budgetReads, type ObservedBudget, observeBudget } from "./observe.ts";
import { raiseModels } from "./raise.ts";
import { formatRecords } from "./record/cache-record.ts";

/**
 * How much space the cached weights of a namespace can use together is decided for all of them in one pass. It patches the status of
 * Models, which the reconciler of Models has the permission for.
 */
export function cacheBudget(
  options: LlmkubeOptions,
): Reconciler<Namespace, ObservedBudget, (typeof budgetReads)[number]> {
  return {
    name: "llmkube.cache-budget",
    kind: Namespace,
    hasPlainConditions: true,
    keepsStatus: true,
    reads: budgetReads,
    writes: [ConfigMap, Job],
    observe: (namespace, reader) => observeBudget(namespace, reader, options),
    decide({ metadata, status = {} }, observed, now) {
      const namespace = metadata.name ?? "";
      if (metadata.deletionTimestamp !== undefined || hasUnresolved(observed)) return { do: "hold", status };
      const isManaged = observed.bytes !== undefined || observed.keepSeconds !== undefined;
      const entries = isManaged ? lowerEntries(namespace, observed, now) : [];
      const recheckIn = nextTerm(entries, observed, now);
      return {
        do: "converge",
        children:
          observed.bytes === undefined && entries.length === 0
            ? []
            : emitCache(namespace, entries, { observed, options }),
        patches: raiseModels(namespace, entries, observed),
        status,
        notes: budgetEvents(observed),
        ...(recheckIn === undefined ? {} : { recheckIn }),
      };
    },
  };
}

interface EmitContext {
  readonly observed: ObservedBudget;
  readonly options: LlmkubeOptions;
}

/** The record of what is cached, and a Job for each directory that goes. */
function emitCache(namespace: string, entries: readonly CacheEntry[], { observed, options }: EmitContext): Desired[] {
  const data = formatRecords(entries.flatMap(({ record }) => record ?? []));
  const { resources } = observed;
  return [
    emitConfigMap({ name: sharedCacheName, namespace, labels: cacheLabels, data }),
    // A Job that is done stays until the record is gone: someone else may have written it too, and it would run again.
    ...entries
      .filter(({ evicted }) => evicted !== undefined)
      .map(({ key }) => keepObject(Job, { name: evictionNameOf(key), namespace })),
    ...entries
      .filter(({ isRemovable }) => isRemovable)
      .map(({ key, source, eviction }) =>
        // One that failed is kept for its log; who deletes it starts it again.
        eviction === "failed"
          ? keepObject(Job, { name: evictionNameOf(key), namespace })
          : emitJob(planEviction({ namespace, key, source, resources, options })),
      ),
  ];
}
