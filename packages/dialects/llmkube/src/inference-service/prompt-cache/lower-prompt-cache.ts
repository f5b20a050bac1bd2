import { type PromptCachePlan, planPromptCache, type ServingAnnotations } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Engine } from "../pod/engines/index.ts";

/** The prompt cache of the annotation; a field of the runtime that says the same wins, and the status reports it. */
export function lowerPromptCache(
  { metadata, spec }: InferenceService,
  { promptCache: engine }: Engine,
  { promptCache: cache }: ServingAnnotations,
): PromptCachePlan | undefined {
  if (cache === undefined) return undefined;
  const block = spec.runtime === "vllm" ? "vllmConfig" : "sglangConfig";
  if (cache.is !== "shared" && spec.runtime === engine && spec[block]?.enablePrefixCaching !== undefined)
    return { is: "unsupported", why: `spec.${block}.enablePrefixCaching sets it; remove one of the two` };
  return planPromptCache(cache, { engine, namespace: metadata.namespace ?? "" });
}
