import { isIdledByGateway } from "@trivium/engines";
import type { api, Pod } from "@trivium/kube";
import { engineOf } from "../../inference-service/pod/engines/index.ts";
import { draftRefOf } from "../../inference-service/weights/draft-model.ts";
import { planStorage } from "../../inference-service/weights/storage.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { sharedCacheName } from "../../names.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { cacheKeyOf } from "../../weights/cache-key.ts";

/** Why weights must stay in the shared cache, or come into it. */
export interface CacheUse {
  readonly key: string;
  /** `reads`: a pod has them. `fetches`: a pod is about to have them. `needs`: a service wants pods that use them. */
  readonly is: "reads" | "fetches" | "needs";
  readonly by: string;
  readonly since: string;
}

/** A service that is off needs no weights, unless the next request starts it. */
export const needsReplicas = ({ metadata, spec }: InferenceService): boolean =>
  spec.suspend !== true && ((spec.replicas ?? 1) > 0 || isIdledByGateway(metadata));

export function usesOfService(
  service: InferenceService,
  models: readonly Model[],
  options: LlmkubeOptions,
): CacheUse[] {
  const { metadata, spec } = service;
  const engine = engineOf(spec.runtime);
  if (!needsReplicas(service) || metadata.deletionTimestamp !== undefined || engine === undefined) return [];
  const names = [spec.modelRef, draftRefOf(service)?.name];
  const isCached = (model: Model): boolean => {
    // Until its source was inspected, its size is not known.
    if (model.status?.cacheKey !== cacheKeyOf(model.spec.source)) return false;
    const storage = planStorage({ service, model, engine, options });
    return storage.is === "planned" && storage.cache?.is === "ours";
  };
  return models
    .filter((model) => names.includes(model.metadata.name) && isCached(model))
    .map(({ spec: { source } }) => ({
      key: cacheKeyOf(source),
      is: "needs",
      by: `InferenceService ${metadata.name}`,
      since: metadata.creationTimestamp ?? "",
    }));
}

/** Pods name the directories of the cache that they read in the arguments of the containers that fill them. */
export function usesOfPod({ metadata, spec, status }: Pod): CacheUse[] {
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  const isMounted = spec?.volumes?.some(({ persistentVolumeClaim: claim }) => claim?.claimName === sharedCacheName);
  if (isOver || isMounted !== true) return [];
  return (spec?.initContainers ?? []).flatMap((container): CacheUse[] => {
    const key = /^\/models\/([0-9a-f]{16})$/.exec(folderOf(container))?.[1];
    const state = status?.initContainerStatuses?.find(({ name }) => name === container.name)?.state;
    const is = state?.terminated?.exitCode === 0 ? "reads" : "fetches";
    return key === undefined ? [] : [{ key, is, by: `Pod ${metadata.name}`, since: metadata.creationTimestamp ?? "" }];
  });
}

function folderOf({ args = [] }: api.Container): string {
  const at = args.indexOf("--to");
  return at === -1 ? "" : (args[at + 1] ?? "");
}
