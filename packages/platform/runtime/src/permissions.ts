import type { Kind } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import { isLookedUp } from "./looked-up.ts";
import { levelKinds } from "./pod-security.ts";

/** A rule of a ClusterRole. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

const reading = ["get", "list", "watch"];
const writing = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** Exactly what a set of reconcilers needs, from what they say they read and write. */
export function permissionsOf(reconcilers: readonly AnyReconciler[]): PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  const allow = (group: string, resource: string, allowed: readonly string[]) => {
    const key = `${group}/${resource}`;
    const held = verbs.get(key) ?? new Set<string>();
    verbs.set(key, held);
    for (const verb of allowed) held.add(verb);
  };
  for (const reconciler of reconcilers) {
    const { group, plural } = reconciler.kind;
    // Finalizers are patched on the object itself; owner references that block deletion need the subresource on some clusters.
    allow(group, plural, reconciler.finalizer === undefined ? reading : [...reading, "patch"]);
    allow(group, `${plural}/status`, ["get", "patch"]);
    allow(group, `${plural}/finalizers`, ["update"]);
    for (const kind of reconciler.reads as readonly Kind[])
      allow(kind.group, kind.plural, isLookedUp(kind) ? ["get"] : reading);
    for (const kind of reconciler.writes) allow(kind.group, kind.plural, writing);
    for (const { group: at, plural: resource } of levelKinds(reconciler)) allow(at, resource, reading);
    if (reconciler.evicts === true) allow("", "pods/eviction", ["create"]);
  }
  allow("", "events", ["create", "get", "patch"]);
  return rulesOf(verbs);
}

/** For the Lease of the leader, in its own namespace. */
export const leaderPermissions: readonly PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "update"] },
];

/** One rule for the resources of a group that share their verbs, in a stable order. */
function rulesOf(verbs: ReadonlyMap<string, ReadonlySet<string>>): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const [key, held] of [...verbs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const slash = key.indexOf("/");
    const group = key.slice(0, slash);
    const list = [...held].sort();
    const id = `${group} ${list.join(",")}`;
    const rule = rules.get(id) ?? { apiGroups: [group], resources: [], verbs: list };
    rules.set(id, rule);
    rule.resources.push(key.slice(slash + 1));
  }
  return [...rules.values()];
}
