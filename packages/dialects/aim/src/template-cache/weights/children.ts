import { keepObject } from "@trivium/emitters";
import { apiVersionOf } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import { AIMModelCache } from "../../kinds/model-cache.ts";
import { modeOf, type TemplateCache } from "../names/names.ts";
import type { ObservedTemplateCache } from "../observe.ts";
import type { MatchedSource, ModelCachePlan } from "./match-sources.ts";

/** The model caches that a template cache owns or creates; two sources can be the same weights. */
export function emitModelCaches(cache: TemplateCache, matched: readonly MatchedSource[]): Desired[] {
  const isOwner = modeOf(cache) === "Dedicated";
  const wanted = matched.flatMap((one): Desired[] => {
    if (one.found === undefined) return [emitModelCache(one.plan, isOwner)];
    // Of its own caches all are named, since what is not named is deleted.
    return isOwner ? [keepObject(AIMModelCache, { name: one.found.name })] : [];
  });
  return [...new Map(wanted.map((one) => [one.object.metadata.name, one])).values()];
}

function emitModelCache({ name, labels, spec }: ModelCachePlan, isOwner: boolean): Desired {
  const object = {
    apiVersion: apiVersionOf(AIMModelCache),
    kind: AIMModelCache.kind,
    metadata: { name, labels },
    spec,
  };
  const desired: Desired = { kind: AIMModelCache, object, createOnly: true };
  return isOwner ? desired : { ...desired, outlivesOwner: true };
}

/** When it is deleted: caches that were created for it and never got full go with it; the others stay for other users. */
export function releaseModelCaches(
  cache: TemplateCache,
  { caches }: ObservedTemplateCache,
): { readonly children: Desired[]; readonly patches: Patch[] } {
  const unfinished = caches.filter(
    ({ isMadeHere, isLeaving, owner, status }) =>
      isMadeHere && !isLeaving && owner !== "other" && status?.status !== "Available",
  );
  const { namespace } = cache.metadata;
  const patches = unfinished.map(
    ({ name, uid }): Patch => ({ patch: "delete", kind: bareKind(AIMModelCache), ref: { namespace, name }, uid }),
  );
  const kept = caches.filter(({ owner, status }) => owner === "this" && status?.status === "Available");
  const children = modeOf(cache) === "Dedicated" ? kept.map(({ name }) => keepObject(AIMModelCache, { name })) : [];
  return { children, patches };
}
