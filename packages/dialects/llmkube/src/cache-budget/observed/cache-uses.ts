import { isIdledByGateway } from "@trivium/engines";
import type { api, Pod } from "@trivium/kube";
import { engineOf } from "../../inference-service/pod/engines/index.ts";
import { draftRefOf } from "../../inference-service/weights/draft-model.ts";
import { cacheClaimOf } from "../../inference-service/weights/storage.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { evictionLabel, sharedCacheName } from "../../names.ts";
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
    if (model.status?.cacheKey !== cacheKeyOf(model.spec)) return false;
    return cacheClaimOf({ service, model, engine, options })?.is === "ours";
  };
  return models
    .filter((model) => names.includes(model.metadata.name) && isCached(model))
    .map((model) => ({
      key: cacheKeyOf(model.spec),
      is: "needs",
      by: `InferenceService ${metadata.name}`,
      since: metadata.creationTimestamp ?? "",
    }));
}

/**
 * Pods name the directories of the cache that they read in the arguments of the containers that fill them, or, where the source is the
 * claim itself, in paths. The pods that delete directories do not use them.
 */
export function usesOfPod({ metadata, spec, status }: Pod): CacheUse[] {
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  const isMounted = spec?.volumes?.some(({ persistentVolumeClaim: claim }) => claim?.claimName === sharedCacheName);
  if (isOver || isMounted !== true || metadata.labels?.[evictionLabel] !== undefined) return [];
  const use = { by: `Pod ${metadata.name}`, since: metadata.creationTimestamp ?? "" };
  const filled = (spec?.initContainers ?? []).flatMap((container): CacheUse[] => {
    const key = /^\/models\/([0-9a-f]{16})$/.exec(folderOf(container))?.[1];
    const state = status?.initContainerStatuses?.find(({ name }) => name === container.name)?.state;
    const is = state?.terminated?.exitCode === 0 ? "reads" : "fetches";
    return key === undefined ? [] : [{ key, is, ...use }];
  });
  const read = (spec?.containers ?? []).flatMap(pathsOf).filter((key) => !filled.some((one) => one.key === key));
  return [...filled, ...[...new Set(read)].map((key): CacheUse => ({ key, is: "reads", ...use }))];
}

const pathsOf = ({ args = [], command = [], volumeMounts = [] }: api.Container): string[] =>
  [...args, ...command, ...volumeMounts.map(({ subPath = "" }) => subPath)].flatMap((text) =>
    [...text.matchAll(/(?:^|[/=])([0-9a-f]{16})(?=\/|$)/g)].map(([, key = ""]) => key),
  );

function folderOf({ args = [] }: api.Container): string {
  const at = args.indexOf("--to");
  return at === -1 ? "" : (args[at + 1] ?? "");
}
