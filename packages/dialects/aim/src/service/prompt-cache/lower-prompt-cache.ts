import {
  describeMissingCache,
  type ObservedSharedCache,
  planPromptCache,
  type ServingAnnotations,
  servingAnnotations,
} from "@trivium/engines";
import type { EnvVars } from "../../kinds/pod-fields.ts";
import type { Service } from "../names/names.ts";
import type { ObservedTemplate } from "../observed/observed-service.ts";
import { engineArguments } from "../pod/engine-arguments.ts";
import { engineOf } from "../selection/template-facts.ts";

/** The prompt cache of the annotation; the field `kvCache` wins. */
export interface AnnotatedCache {
  readonly env: EnvVars;
  /** Why the annotation has no effect. */
  readonly ignored?: string | undefined;
}

const engines = ["vllm", "sglang"] as const;

export function lowerPromptCache(
  { metadata, spec }: Service,
  { promptCache: cache }: ServingAnnotations,
  { template, observed }: { readonly template: ObservedTemplate | undefined; readonly observed: ObservedSharedCache },
): AnnotatedCache {
  if (cache === undefined || template === undefined) return { env: [] };
  if (spec.kvCache !== undefined) return withoutEffect("spec.kvCache sets it; remove one of the two");
  const reported = engineOf(template);
  const engine = engines.find((one) => one === reported);
  const plan = planPromptCache(cache, { engine, namespace: metadata.namespace ?? "" });
  if (plan.is === "unsupported") return withoutEffect(plan.why);
  const ignored = describeMissingCache({ promptCache: cache }, observed);
  return { env: [...plan.env, ...engineArguments(plan.args)], ...(ignored === undefined ? {} : { ignored }) };
}

const withoutEffect = (why: string): AnnotatedCache => ({
  env: [],
  ignored: `Annotation ${servingAnnotations.promptCache} has no effect: ${why}`,
});
