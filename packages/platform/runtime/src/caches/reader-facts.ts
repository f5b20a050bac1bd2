import type { Kind, KubeObject, ObjectOf, Ref } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { absent, type Fact, known, pending } from "@trivium/std";
import type { ObjectCache } from "./cache.ts";

/** What a cache knows of one object: that it is not there only once it has seen everything. */
export function factIn(cache: Pick<ObjectCache, "get" | "isSynced">, ref: Ref): Fact<KubeObject> {
  const object = cache.get(ref);
  if (object !== undefined) return known(object);
  return cache.isSynced ? absent : pending;
}

/** The first of the kinds that has such an object; one that is not known yet may be it. */
export function nearestOf<T extends Kind>(
  reader: Pick<Reader, "get">,
  twin: readonly T[],
  ref: Ref,
): Fact<ObjectOf<T>> {
  for (const kind of twin) {
    // A cluster-wide reference has no namespaced object to look for.
    if (kind.namespaced && !ref.namespace) continue;
    const fact = reader.get(kind, ref);
    if (fact.is !== "absent") return fact;
  }
  return absent;
}
