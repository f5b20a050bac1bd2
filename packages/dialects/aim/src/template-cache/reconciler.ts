import { keepObject } from "@trivium/emitters";
import { type Decision, type Desired, hasUnresolved, type Patch, type Reconciler } from "@trivium/reconcile";
import { bareKind } from "../bare-kind.ts";
import { cachePaths } from "../field-paths.ts";
import { group } from "../group.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { raiseRefused } from "../refused.ts";
import { noSettings } from "../runtime-config/settings/merge-settings.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { modeOf, type TemplateCache, type TemplateCacheStatus } from "./names/names.ts";
import { type ObservedTemplateCache, observeTemplateCache, templateCacheReads } from "./observe.ts";
import { isReady, raiseTemplateCache, type Warmth } from "./raise.ts";
import { matchSource } from "./weights/match-sources.ts";

export function templateCacheReconciler(): Reconciler<
  TemplateCache,
  ObservedTemplateCache,
  (typeof templateCacheReads)[number]
> {
  return {
    name: "aim.template-cache",
    kind: AIMTemplateCache,
    reads: templateCacheReads,
    writes: [AIMModelCache],
    controls: [AIMModelCache],
    finalizer: `${group.group}/template-cache-cleanup`,
    observe: observeTemplateCache,
    decide(cache, observed): Decision<TemplateCacheStatus> {
      if (cache.metadata.deletionTimestamp !== undefined) return leave(cache, observed);
      const config = resolveRuntimeConfig(observed.config);
      if (hasUnresolved(observed)) return { do: "hold", status: cache.status ?? {} };
      // A config that is missing is each model cache's to report; which caches there should be does not hang on it.
      const settings = config.is === "resolved" ? config.settings : noSettings;
      const reference = config.is === "resolved" ? config.reference : undefined;
      const sources = sourcesOf(cache, observed);
      const template = observed.template.is === "known" ? observed.template.value : {};
      const matched = sources.map((source) =>
        matchSource({ cache, settings, caches: observed.caches, template }, source),
      );
      const warmth: Warmth = { template: observed.template, matched, reference };
      const raised = raiseTemplateCache(cache, warmth);
      // What a template needs is fetched when it is sure; what is there stays whatever becomes of the template.
      if (sources.length === 0 || !isSure(observed)) return { do: "hold", ...raised };
      return { do: "converge", children: distinct(matched.flatMap(({ wanted }) => wanted ?? [])), ...raised };
    },
    refused: (cache, status, refusals) =>
      raiseRefused({ paths: cachePaths, state: "Failed", also: ["CacheWarm"] }, cache, status, refusals),
  };
}

const isSure = ({ template }: ObservedTemplateCache): boolean => template.is === "known" && isReady(template.value);

function sourcesOf({ spec }: TemplateCache, { template }: ObservedTemplateCache) {
  if (template.is !== "known") return [];
  const { modelSources = [] } = spec;
  return modelSources.length > 0 ? modelSources : template.value.sources;
}

/** Two sources may be the same weights. */
function distinct(wanted: readonly Desired[]): Desired[] {
  return [...new Map(wanted.map((one) => [one.object.metadata.name, one])).values()];
}

/** Caches that were made for it and never got full go with it; the others stay for whoever needs them. */
function leave(cache: TemplateCache, { caches }: ObservedTemplateCache): Decision<TemplateCacheStatus> {
  const unfinished = caches.filter(
    ({ isMadeHere, isLeaving, owner, status }) =>
      isMadeHere && !isLeaving && owner !== "other" && status?.status !== "Available",
  );
  if (unfinished.length === 0) return { do: "release" };
  const { namespace } = cache.metadata;
  const patches = unfinished.map(
    ({ name, uid }): Patch => ({ patch: "delete", kind: bareKind(AIMModelCache), ref: { namespace, name }, uid }),
  );
  const kept = caches.filter(({ owner, status }) => owner === "this" && status?.status === "Available");
  const children = modeOf(cache) === "Dedicated" ? kept.map(({ name }) => keepObject(AIMModelCache, { name })) : [];
  return { do: "converge", children, patches, status: cache.status ?? {} };
}
