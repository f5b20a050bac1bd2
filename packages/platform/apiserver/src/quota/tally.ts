import type { AnyObject, ResourceQuota } from "@trivium/kube";
import type { Instant, Quantity } from "@trivium/std";
import type { Store, Stored } from "../store/store.ts";
import { type Amounts, addTo, zero } from "./amounts.ts";
import { isInScope } from "./scopes.ts";
import { usageOf } from "./usage.ts";

/** Names in a quota and the resource whose objects they count. */
function resourceBehind(name: string): string | undefined {
  if (name.startsWith("count/")) return name.slice("count/".length);
  if (name.includes("storageclass.storage.k8s.io/") || name === "requests.storage") return "persistentvolumeclaims";
  if (name.startsWith("services.")) return "services";
  if (/^(pods|cpu|memory|ephemeral-storage|hugepages-.*|(requests|limits)\..*)$/.test(name)) return "pods";
  return /^[a-z]+$/.test(name) ? name : undefined;
}

/** The resources whose objects a quota counts. */
export function countedResources({ spec }: ResourceQuota): string[] {
  return [...new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => resourceBehind(name) ?? []))];
}

/**
 * What is used of everything that a quota limits, counted from the stored objects themselves: they are what there is, and a
 * write under way is among them, so two creations at once cannot both take the last place.
 */
export function createTally(store: Store): (quota: ResourceQuota, now: Instant) => Map<string, Quantity> {
  const known = new WeakMap<Stored, AnyObject>();
  const read = (stored: Stored): AnyObject => {
    const object = known.get(stored) ?? (JSON.parse(stored.text) as AnyObject);
    known.set(stored, object);
    return object;
  };
  return (quota, now) => {
    const used = new Map<string, Quantity>();
    for (const resource of countedResources(quota))
      for (const stored of store.list(resource, { namespace: quota.metadata.namespace })) {
        const object = read(stored);
        if (isInScope(quota, resource, object)) addTo(used, usageOf(resource, object, now));
      }
    return maskedTo(quota, used);
  };
}

/** Of everything that the quota limits, with nothing where nothing is used. */
export function maskedTo({ spec }: ResourceQuota, amounts: Amounts): Map<string, Quantity> {
  return new Map(Object.keys(spec?.hard ?? {}).map((name) => [name, amounts.get(name) ?? zero]));
}
