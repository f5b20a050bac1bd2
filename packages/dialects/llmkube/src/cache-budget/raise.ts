import { bareKind } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { deepEqual } from "@trivium/std";
import { Model } from "../kinds/model.ts";
import { evictedEvent } from "./events.ts";
import { evictionNameOf } from "./eviction/plan-eviction.ts";
import type { CacheEntry } from "./lower.ts";
import type { ObservedBudget, ObservedModel } from "./observe.ts";
import type { CacheRecord } from "./record/cache-record.ts";

type CacheStatus = NonNullable<ObservedModel["cache"]>;

/** What the status of each Model says of its weights in the cache; only what changed is written. */
export function raiseModels(namespace: string, entries: readonly CacheEntry[], observed: ObservedBudget): Patch[] {
  const failed = entries.find(({ eviction }) => eviction === "failed");
  return observed.models
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((model): Patch[] => {
      const entry = observed.bytes === undefined ? undefined : entries.find(({ key }) => key === model.key);
      const cache = entry === undefined ? undefined : statusOf(entry, { before: model.cache, failed });
      if (deepEqual(cache, model.cache)) return [];
      const status = { cache: cache === undefined ? null : { state: cache.state, message: cache.message ?? null } };
      const ref = { namespace, name: model.name };
      const news = entry?.evicted === undefined ? {} : { events: evictedEvent(cache?.message ?? "") };
      return [{ patch: "status", kind: bareKind(Model), ref, status, ...news }];
    });
}

interface Before {
  readonly before: CacheStatus | undefined;
  /** The entry whose Job failed, which all that wait for space wait for. */
  readonly failed: CacheEntry | undefined;
}

function statusOf(entry: CacheEntry, { before, failed }: Before): CacheStatus | undefined {
  const { record, grant, evicted, eviction, key } = entry;
  if (evicted !== undefined) return { state: "Evicted", message: describeEvicted(evicted) };
  if (record?.state === "evicting")
    return { state: "Evicting", message: eviction === "failed" ? describeFailed(key) : describeEvicting(record) };
  if (record !== undefined) return { state: record.state === "cached" ? "Cached" : "Granted" };
  if (grant?.is === "refused") return { state: "Refused", message: grant.why };
  if (grant?.is === "making")
    return { state: "Waiting", message: failed === undefined ? grant.why : describeFailed(failed.key) };
  // That weights were deleted stays true until a service needs them.
  return before?.state === "Evicted" ? before : undefined;
}

const describeEvicting = ({ needed, lastUsed }: CacheRecord): string =>
  `Deleting the cached weights${spaceFor(needed)}: not used since ${lastUsed}`;

const describeEvicted = ({ needed, lastUsed }: CacheRecord): string =>
  `The cached weights were deleted${spaceFor(needed)}: not used since ${lastUsed}; the next InferenceService that uses this Model downloads them again`;

const spaceFor = (model: string | undefined): string =>
  model === undefined ? "" : ` to free space for Model ${model}`;

const describeFailed = (key: string): string =>
  `Job ${evictionNameOf(key)} cannot delete cached weights; check it with kubectl logs job/${evictionNameOf(key)}, then delete the Job to retry`;
