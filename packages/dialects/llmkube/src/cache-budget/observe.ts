import { type CacheBudget, observeQuotas, parseCacheBudget } from "@trivium/engines";
import { type api, ConfigMap, Job, type Kind, type Namespace, Pod, ResourceQuota } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, showUri } from "@trivium/std";
import { InferenceService } from "../kinds/inference-service.ts";
import { Model } from "../kinds/model.ts";
import { evictionLabel, sharedCacheName } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import { cacheKeyOf } from "../weights/cache-key.ts";
import { weightsRequest } from "../weights/weights-uri.ts";
import { type CacheUse, usesOfPod, usesOfService } from "./observed/cache-uses.ts";
import { type CacheRecord, parseRecords } from "./record/cache-record.ts";

export interface ObservedBudget {
  /** Bytes that cached weights can use together; undefined where there is no limit. */
  readonly bytes?: number;
  /** How long weights of deleted Models are kept; undefined for ever. */
  readonly keepSeconds?: number;
  /** Why the annotation of the namespace has no effect. */
  readonly fault?: string;
  /** What is in the cache; absent where there was no budget before. */
  readonly record: Fact<readonly CacheRecord[]>;
  readonly models: readonly ObservedModel[];
  readonly uses: readonly CacheUse[];
  readonly evictions: readonly ObservedEviction[];
  /** What the quotas of the namespace make a Job request. */
  readonly resources?: api.ResourceRequirements;
}

export interface ObservedModel {
  readonly name: string;
  readonly key: string;
  /** As downloads name it, without credentials: everyone who reads the record sees it. */
  readonly source: string;
  readonly bytes?: number;
  /** What its status says of the cache. */
  readonly cache?: NonNullable<NonNullable<Model["status"]>["cache"]>;
}

export interface ObservedEviction {
  readonly key: string;
  readonly is: "running" | "done" | "failed";
}

export const budgetReads = [
  ConfigMap,
  Model,
  InferenceService,
  Pod,
  Job,
  ResourceQuota,
] as const satisfies readonly Kind[];
type BudgetReader = Reader<(typeof budgetReads)[number]>;

export function observeBudget({ metadata }: Namespace, reader: BudgetReader, options: LlmkubeOptions): ObservedBudget {
  const namespace = metadata.name ?? "";
  const found = parseCacheBudget(metadata.annotations, options.cache.budget);
  const { bytes: _, ...fault } = found;
  const { mode, keepSeconds } = options.cache;
  const budget: CacheBudget & { keepSeconds?: number } =
    mode === "shared" ? { ...found, ...(keepSeconds === undefined ? {} : { keepSeconds }) } : fault;
  const isManaged = budget.bytes !== undefined || budget.keepSeconds !== undefined;
  const map = reader.get(ConfigMap, { namespace, name: sharedCacheName });
  const record = map.is === "known" ? { is: map.is, value: parseRecords(map.value.data) } : map;
  const nothing = { models: [], uses: [], evictions: [] };
  // Most namespaces have no budget; then it does not matter what is cached.
  if (!isManaged && record.is === "absent") return { ...budget, record, ...nothing };
  const models = reader.list(Model, { namespace });
  if (!isManaged) return { ...budget, record, ...nothing, models: models.map(observedModel) };
  const resources = observeQuotas(namespace, reader);
  return {
    ...budget,
    record,
    models: models.map(observedModel).sort((a, b) => (a.name < b.name ? -1 : 1)),
    uses: [
      ...reader.list(InferenceService, { namespace }).flatMap((service) => usesOfService(service, models, options)),
      ...reader.list(Pod, { namespace }).flatMap(usesOfPod),
    ],
    evictions: reader.list(Job, { namespace, owner: metadata.uid ?? "" }).flatMap(observedEviction),
    ...(resources === undefined ? {} : { resources }),
  };
}

function observedModel(model: Model): ObservedModel {
  const { metadata, spec, status } = model;
  const bytes = status?.weights?.bytes ?? status?.sourceContentLength ?? undefined;
  return {
    name: metadata.name ?? "",
    key: cacheKeyOf(spec),
    source: showUri(weightsRequest(model).uri),
    ...(bytes === undefined ? {} : { bytes }),
    ...(status?.cache ? { cache: status.cache } : {}),
  };
}

function observedEviction({ metadata, status }: Job): ObservedEviction[] {
  const key = metadata.labels?.[evictionLabel];
  if (key === undefined || metadata.deletionTimestamp !== undefined) return [];
  const isTrue = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === "True");
  return [{ key, is: isTrue("Complete") ? "done" : isTrue("Failed") ? "failed" : "running" }];
}
