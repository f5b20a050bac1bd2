import { deepEqual } from "@trivium/std";
import type { EnvVars } from "../../kinds/pod-fields.ts";
import { labels } from "../../labels.ts";
import type { ModelCache } from "../../model-cache/names/names.ts";
import { derivedName, labelValueOf } from "../../names.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";
import { modelIdOf, type WeightsSource } from "../../service/weights/sources.ts";
import { modeOf, type TemplateCache } from "../names/names.ts";
import type { ModelCacheFound, TemplateFound } from "../observe.ts";

/** One set of weights with the cache that holds it, or with the one to create. */
export type MatchedSource = { readonly source: WeightsSource } & (
  | { readonly found: ModelCacheFound }
  | { readonly found?: undefined; readonly plan: ModelCachePlan }
);

export interface ModelCachePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: ModelCache["spec"];
}

interface Input {
  readonly cache: TemplateCache;
  readonly settings: Settings;
  readonly caches: readonly ModelCacheFound[];
  readonly template: Pick<TemplateFound, "env" | "imagePullSecrets">;
}

/** What a download is told: what its template says, over that the cache, over that the source. */
const envFor = ({ cache, template }: Input, source: WeightsSource): EnvVars =>
  mergeEnv(template.env, cache.spec.env, source.env);

/** Everybody's caches are shared by their source and storage class; a dedicated one sees only its own. */
export function matchSource(input: Input, source: WeightsSource, index: number): MatchedSource {
  const { cache, settings, caches } = input;
  const mode = modeOf(cache);
  const env = envFor(input, source);
  const storageClass = cache.spec.storageClassName ?? settings.storageClassName;
  const [found] = caches
    .filter(({ spec, isLeaving }) => !isLeaving && spec.sourceUri === source.sourceUri)
    .filter(({ owner }) => (mode === "Dedicated" ? owner === "this" : owner === "nobody"))
    .filter(({ spec }) => !spec.storageClassName || spec.storageClassName === storageClass)
    .filter(({ spec }) => endpoints.every((name) => variableOf(spec.env, name) === variableOf(env, name)))
    // One that failed with other credentials says nothing of ours.
    .filter(({ spec, status }) => status?.status !== "Failed" || deepEqual(mergeEnv(spec.env), env))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
  return found === undefined ? { source, plan: planModelCache(input, source, { env, index }) } : { source, found };
}

/** The same address at another server is something else. */
const endpoints = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "HF_ENDPOINT"];
const variableOf = (env: EnvVars | undefined, wanted: string): string | undefined =>
  env?.find(({ name }) => name === wanted)?.value;

const order = ["Available", "Progressing", "Pending", "Failed"];
const rankOf = ({ status }: ModelCacheFound): number => order.indexOf(status?.status ?? "Pending");

interface Download {
  readonly env: EnvVars;
  /** Which source of the template it is. */
  readonly index: number;
}

function planModelCache(input: Input, source: WeightsSource, { env, index }: Download): ModelCachePlan {
  const { cache, settings, template } = input;
  const { spec, metadata } = cache;
  const imagePullSecrets = unionSecrets(spec.imagePullSecrets, template.imagePullSecrets);
  const storageClassName = spec.storageClassName ?? settings.storageClassName;
  const modelId = modelIdOf(source);
  const reported = modeOf(cache) === "Dedicated" ? ["dedicated", metadata.name ?? ""] : [];
  const name = derivedName(
    [source.sourceUri.replaceAll(".", "-")],
    [source.sourceUri, env, storageClassName ?? "", ...reported],
    { digits: 10 },
  );
  const own = {
    [labels.templateCache]: labelValueOf(metadata.name ?? ""),
    [labels.sourceModel]: labelValueOf(modelId),
    [labels.templateCreated]: "true",
    [labels.templateIndex]: String(index),
  };
  return {
    name,
    labels: propagateLabels(settings, metadata.labels, own),
    spec: {
      sourceUri: source.sourceUri,
      modelId,
      ...(source.size === undefined ? {} : { size: source.size }),
      ...(env.length === 0 ? {} : { env }),
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(spec.downloadImage === undefined ? {} : { modelDownloadImage: spec.downloadImage }),
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
      ...(spec.runtimeConfigName === undefined ? {} : { runtimeConfigName: spec.runtimeConfigName }),
    },
  };
}
