import { type Kind, type KubeObject, Service } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { servingAnnotations } from "../serving/annotation-names.ts";
import { parseServingAnnotations, type ServingAnnotations } from "../serving/serving-annotations.ts";

/** Whether the Service is there in which replicas share prompts; only where the annotation names one. */
export interface ObservedSharedCache {
  readonly promptCache?: Fact<true>;
}

export function observeSharedCache({ metadata }: KubeObject, reader: Reader<Kind<Service>>): ObservedSharedCache {
  const { promptCache } = parseServingAnnotations(metadata.annotations);
  if (promptCache?.is !== "shared") return {};
  const found = reader.get(Service, { namespace: metadata.namespace, name: promptCache.service });
  return { promptCache: found.is === "known" ? known(true) : found };
}

/** What to do where the Service does not exist: servers then compute every prompt. */
export function describeMissingCache(
  { promptCache }: Pick<ServingAnnotations, "promptCache">,
  { promptCache: found }: ObservedSharedCache,
): string | undefined {
  if (promptCache?.is !== "shared" || found?.is !== "absent") return undefined;
  return `Service ${promptCache.service} of annotation ${servingAnnotations.promptCache} not found in this namespace; create it, or correct the annotation`;
}
