import type { AnyObject, api, ResourceQuota } from "@trivium/kube";
import { addQuantity, compareQuantity, type Quantity } from "@trivium/std";
import type { Call } from "../call.ts";
import { forbidden } from "../refusals.ts";
import { storeName } from "../registry.ts";
import { type Amounts, difference, formatAmounts, isPositive, readAmounts, zero } from "./amounts.ts";
import { isInScope } from "./scopes.ts";
import { computeUsage, usageOf } from "./usage.ts";

/** Kinds whose updates can use more than before. */
const growing: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims"]);

/**
 * Refuses what a quota of the namespace has no room for. Called in the same step as the write itself, after all else that
 * admits it.
 */
export function enforceQuota(call: Call, object: AnyObject, old?: AnyObject): void {
  const { backend, resource, namespace } = call;
  if (!resource.namespaced) return;
  const name = storeName(resource);
  if (old !== undefined && !growing.has(name) && !(name === "pods" && call.subresource === "resize")) return;
  const now = backend.now();
  for (const { text } of backend.storage.store.list("resourcequotas", { namespace })) {
    const quota = JSON.parse(text) as ResourceQuota;
    if (!isInScope(quota, name, object)) continue;
    if (name === "pods") demandAmounts(call, quota, object as unknown as api.Pod);
    const before = old === undefined ? new Map<string, Quantity>() : usageOf(name, old, now);
    refuseExcess(call, quota, {
      name: object.metadata.name ?? "",
      more: difference(usageOf(name, object, now), before),
    });
  }
}

function refuseExcess(call: Call, quota: ResourceQuota, { name, more }: { name: string; more: Amounts }): void {
  const hard = readAmounts(quota.spec?.hard);
  const wanted = [...hard.keys()].filter((one) => isPositive(more.get(one) ?? zero));
  if (wanted.length === 0) return;
  const used = call.backend.quotaUse(quota, call.backend.now());
  const exceeded = wanted.filter((one) => {
    const sum = addQuantity(used.get(one) ?? zero, more.get(one) ?? zero);
    return compareQuantity(sum, hard.get(one) as Quantity) > 0;
  });
  if (exceeded.length === 0) return;
  const only = (amounts: Amounts): string =>
    formatAmounts(new Map(exceeded.map((one) => [one, amounts.get(one) ?? zero])));
  const figures = `requested: ${only(more)}, used: ${only(used)}, limited: ${only(hard)}`;
  throw forbidden(call.resource, name, `exceeded quota: ${quota.metadata.name}, ${figures}`);
}

/** What every container must state where a quota limits it. */
const demanded: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);

function demandAmounts(call: Call, quota: ResourceQuota, { metadata, spec }: api.Pod): void {
  if (spec.resources !== undefined) return;
  const names = Object.keys(quota.spec?.hard ?? {}).filter((name) => demanded.has(name));
  const missing = names.sort().flatMap((name) => {
    const silent = [...spec.containers, ...(spec.initContainers ?? [])].filter(
      ({ resources }) => !computeUsage(readAmounts(resources?.requests), readAmounts(resources?.limits)).has(name),
    );
    const containers = silent.map((container) => container.name).sort();
    return containers.length === 0 ? [] : [`${name} for: ${containers.join(",")}`];
  });
  if (missing.length === 0) return;
  const why = `failed quota: ${quota.metadata.name}: must specify ${missing.join("; ")}`;
  throw forbidden(call.resource, metadata.name ?? "", why);
}
