import { type Decision, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { cachePaths } from "../field-paths.ts";
import { group } from "../group.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { raiseRefused } from "../refused.ts";
import { defaultTerms, type Terms } from "../terms.ts";
import { lowerTemplateCache } from "./lower.ts";
import type { TemplateCache, TemplateCacheStatus } from "./names/names.ts";
import { type ObservedTemplateCache, observeTemplateCache, templateCacheReads } from "./observe.ts";
import { raiseTemplateCache } from "./raise.ts";
import { emitModelCaches, releaseModelCaches } from "./weights/children.ts";

export function templateCacheReconciler(
  terms: Terms = defaultTerms,
): Reconciler<TemplateCache, ObservedTemplateCache, (typeof templateCacheReads)[number]> {
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
      if (hasUnresolved(observed)) return { do: "hold", status: cache.status ?? {} };
      const lowered = lowerTemplateCache(cache, observed);
      const raised = raiseTemplateCache(cache, lowered, observed, terms);
      if (!lowered.isCertain) return { do: "hold", ...raised };
      return { do: "converge", children: emitModelCaches(cache, lowered.matched), ...raised };
    },
    refused: (cache, status, refusals) =>
      raiseRefused({ paths: cachePaths, state: "Failed", also: ["CacheWarm"] }, cache, status, refusals),
  };
}

function leave(cache: TemplateCache, observed: ObservedTemplateCache): Decision<TemplateCacheStatus> {
  const { children, patches } = releaseModelCaches(cache, observed);
  if (patches.length === 0) return { do: "release" };
  return { do: "converge", children, patches, status: cache.status ?? {} };
}
