import type { ResolvedReference } from "../objects.ts";
import { noSettings } from "../runtime-config/settings/merge-settings.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import type { WeightsSource } from "../service/weights/sources.ts";
import type { TemplateCache } from "./names/names.ts";
import { isReady, type ObservedTemplateCache } from "./observe.ts";
import { type MatchedSource, matchSource } from "./weights/match-sources.ts";

/** The weights that a template needs, each with the model cache that holds it or that is to be created. */
export interface LoweredTemplateCache {
  readonly matched: readonly MatchedSource[];
  readonly reference: ResolvedReference | undefined;
  /** What a template needs is downloaded once that is certain; what is cached stays whatever becomes of the template. */
  readonly isCertain: boolean;
}

export function lowerTemplateCache(cache: TemplateCache, observed: ObservedTemplateCache): LoweredTemplateCache {
  const config = resolveRuntimeConfig(observed.config);
  // A config that is missing is reported by each model cache; which caches there should be does not depend on it.
  const settings = config.is === "resolved" ? config.settings : noSettings;
  const template = observed.template.is === "known" ? observed.template.value : undefined;
  const input = { cache, settings, caches: observed.caches, template: template ?? {} };
  const matched = sourcesOf(cache, observed).map((source, index) => matchSource(input, source, index));
  return {
    matched,
    reference: config.is === "resolved" ? config.reference : undefined,
    isCertain: matched.length > 0 && template !== undefined && isReady(template),
  };
}

function sourcesOf({ spec }: TemplateCache, { template }: ObservedTemplateCache): readonly WeightsSource[] {
  if (template.is !== "known") return [];
  const { modelSources = [] } = spec;
  return modelSources.length > 0 ? modelSources : template.value.sources;
}
