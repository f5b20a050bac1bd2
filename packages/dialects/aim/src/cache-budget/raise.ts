import type { SpaceGrant, SpacePlan } from "@trivium/engines";
import type { Kind } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { bareKind } from "../bare-kind.ts";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { annotations } from "../labels.ts";
import type { Terms } from "../terms.ts";
import { evictedEvent } from "./events.ts";
import { byName, type ObservedBudget } from "./observe.ts";

/** The plan as changes of the caches: what each was granted is an annotation on it, and those that must leave are deleted. */
export function raiseSpace(
  namespace: string,
  { spaces, evicted }: SpacePlan,
  observed: ObservedBudget,
  { cacheKind }: Terms,
): Patch[] {
  const [caches, holders] = [observed.caches.toSorted(byName), observed.holders.toSorted(byName)];
  const empty = holders.filter((holder) => !holder.isPinned && holder.caches.some((name) => evicted.has(name)));
  return [
    ...caches.flatMap(({ name }) => grantPatch({ namespace, name }, spaces.get(name))),
    // Template caches first: they would download the weights again.
    ...empty.map((holder) => removal(AIMTemplateCache, holder, namespace)),
    ...caches.flatMap((cache): Patch[] => {
      const wanted = evicted.get(cache.name);
      return wanted === undefined
        ? []
        : [{ ...removal(AIMModelCache, cache, namespace), events: evictedEvent(cache, `${cacheKind} ${wanted}`) }];
    }),
  ];
}

function grantPatch(at: { readonly namespace: string; readonly name: string }, space: SpaceGrant | undefined): Patch[] {
  if (space === undefined) return [];
  const why = space.is === "granted" ? {} : { [annotations.cacheSpaceReason]: space.why };
  const kind = bareKind(AIMModelCache);
  const metadata = { ...at, annotations: { [annotations.cacheSpace]: space.is, ...why } };
  return [
    { patch: "fields", kind, object: { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata } },
  ];
}

const removal = (kind: Kind, { name, uid }: { name: string; uid: string }, namespace: string): Patch => ({
  patch: "delete",
  kind: bareKind(kind),
  ref: { namespace, name },
  uid,
});
