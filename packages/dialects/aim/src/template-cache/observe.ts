import type { Kind } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { AIMModelCache } from "../kinds/model-cache.ts";
import type { ModelSources } from "../kinds/model-sources.ts";
import type { EnvVars, SecretReferences } from "../kinds/pod-fields.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { labels } from "../labels.ts";
import type { ModelCache } from "../model-cache/names/names.ts";
import { labelValueOf } from "../names.ts";
import type { Template } from "../objects.ts";
import { mergeEnv } from "../runtime-config/settings/merge-env.ts";
import {
  type ObservedRuntimeConfig,
  observeRuntimeConfig,
  runtimeConfigKinds,
} from "../runtime-config/settings/resolve.ts";
import { type TemplateCache, templateNameOf } from "./names/names.ts";

export interface TemplateFound {
  readonly kind: string;
  readonly state: string;
  readonly why?: string;
  readonly sources: ModelSources;
  /** Variables of the template, with those that it has for downloads above the others: credentials, proxies. */
  readonly env?: EnvVars;
  readonly imagePullSecrets?: SecretReferences;
}

/** The older documents call it available. */
export const isReady = ({ state }: TemplateFound): boolean => state === "Ready" || state === "Available";

export interface ModelCacheFound {
  readonly name: string;
  readonly uid: string;
  readonly isLeaving: boolean;
  /** Of this template cache alone, of another one alone, or everybody's. */
  readonly owner: "this" | "other" | "nobody";
  /** Whether it was made for this template cache. */
  readonly isMadeHere: boolean;
  readonly spec: ModelCache["spec"];
  readonly status?: Pick<NonNullable<ModelCache["status"]>, "status" | "persistentVolumeClaim">;
  readonly why?: string;
  /** Its download failed, or its pod cannot start, and it has not given up. */
  readonly isFailing: boolean;
}

export interface ObservedTemplateCache {
  readonly config: ObservedRuntimeConfig;
  readonly template: Fact<TemplateFound>;
  readonly caches: readonly ModelCacheFound[];
}

export const templateCacheReads = [
  AIMServiceTemplate,
  AIMClusterServiceTemplate,
  AIMModelCache,
  ...runtimeConfigKinds,
] as const satisfies readonly Kind[];
type CacheReader = Reader<(typeof templateCacheReads)[number]>;

export function observeTemplateCache(cache: TemplateCache, reader: CacheReader): ObservedTemplateCache {
  const { namespace = "" } = cache.metadata;
  const template = observeTemplate(cache, reader);
  const uris = new Set(template.is === "known" ? template.value.sources.map(({ sourceUri }) => sourceUri) : []);
  for (const { sourceUri } of cache.spec.modelSources ?? []) uris.add(sourceUri);
  return {
    config: observeRuntimeConfig(reader, { name: cache.spec.runtimeConfigName, namespace }),
    template,
    caches: observeModelCaches(cache, reader, uris),
  };
}

/** Those of the same weights, and those that were made for it; others may change as they like. */
function observeModelCaches(cache: TemplateCache, reader: CacheReader, uris: ReadonlySet<string>): ModelCacheFound[] {
  const { namespace, name = "" } = cache.metadata;
  const madeHere = reader.list(AIMModelCache, { namespace, labels: { [labels.templateCache]: labelValueOf(name) } });
  const same = [...uris].flatMap((uri) => reader.list(AIMModelCache, { namespace, fields: { "spec.sourceUri": uri } }));
  const byName = new Map([...madeHere, ...same].map((one) => [one.metadata.name ?? "", one]));
  return [...byName.values()].map((one) => modelCacheFound(cache, one)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A scope that is named is the only one looked into. */
function observeTemplate(cache: TemplateCache, reader: CacheReader): Fact<TemplateFound> {
  const { namespace } = cache.metadata;
  const ref = { namespace, name: templateNameOf(cache) };
  const { templateScope: scope } = cache.spec;
  const found: Fact<Template> =
    scope === "Namespace"
      ? reader.get(AIMServiceTemplate, ref)
      : scope === "Cluster"
        ? reader.get(AIMClusterServiceTemplate, ref)
        : reader.nearest([AIMServiceTemplate, AIMClusterServiceTemplate], ref);
  if (found.is !== "known") return found;
  const { kind, status, spec } = found.value;
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return known({
    kind,
    state: (status?.status as string | undefined) ?? "Pending",
    ...(why ? { why } : {}),
    sources: status?.modelSources ?? spec.modelSources ?? [],
    ...credentialsOf(found.value),
  });
}

/** Secrets of cluster-wide templates for pulling images are in the operator's namespace, where no download runs. */
function credentialsOf({ metadata, spec }: Template): Pick<TemplateFound, "env" | "imagePullSecrets"> {
  const env = mergeEnv(spec.env, "caching" in spec ? spec.caching?.env : undefined);
  const { imagePullSecrets = [] } = metadata.namespace === undefined ? {} : spec;
  return { ...(env.length === 0 ? {} : { env }), ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }) };
}

function modelCacheFound({ metadata }: TemplateCache, cache: ModelCache): ModelCacheFound {
  const owners = (cache.metadata.ownerReferences ?? []).filter(({ kind }) => kind === "AIMTemplateCache");
  const why = causeOf(cache);
  const { status, persistentVolumeClaim } = cache.status ?? {};
  return {
    name: cache.metadata.name ?? "",
    uid: cache.metadata.uid ?? "",
    isLeaving: cache.metadata.deletionTimestamp !== undefined,
    owner: owners.length === 0 ? "nobody" : owners.some(({ uid }) => uid === metadata.uid) ? "this" : "other",
    isMadeHere: cache.metadata.labels?.[labels.templateCache] === labelValueOf(metadata.name ?? ""),
    spec: cache.spec,
    ...(status === undefined
      ? {}
      : { status: { status, ...(persistentVolumeClaim === undefined ? {} : { persistentVolumeClaim }) } }),
    ...(why ? { why } : {}),
    isFailing: isFailing(cache),
  };
}

/** How far the download is, or what went wrong, also where it is tried again. */
function causeOf({ status }: ModelCache): string | undefined {
  const of = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  if (of("Failure")?.status === "True") return of("Failure")?.message;
  const fetch = of("DownloadComplete");
  const storage = of("StorageReady");
  if (storage?.status === "False" && lackingVolume.includes(storage.reason)) return storage.message;
  return fetch === undefined || wellReasons.includes(fetch.reason) ? undefined : fetch.message;
}

const isFailing = ({ status }: ModelCache): boolean => {
  const fetch = status?.conditions?.find(({ type }) => type === "DownloadComplete");
  return fetch?.status === "False" && ![...wellReasons, "Downloading", "RetryBackoff"].includes(fetch.reason);
};

/** Why a claim has no volume, where waiting alone does not help. */
const lackingVolume: readonly string[] = ["StorageClassMissing", "InsufficientCapacity"];

const wellReasons: readonly string[] = ["Verified", "MeasuringSize", "WaitingForPVC", "WaitingForRoom"];
