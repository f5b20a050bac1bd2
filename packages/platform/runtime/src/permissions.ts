import type { Kind } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import { levelKinds } from "./apply/pod-security.ts";
import { isLookedUp } from "./caches/looked-up.ts";

/** A rule of a ClusterRole. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  /** Only objects of these names; all when left out. */
  resourceNames?: string[];
}

/** Kinds are followed: no object is read alone. */
const reading = ["list", "watch"];
/** Objects are applied, which is a patch, and creates where there is none. */
const writing = ["create", "list", "patch", "watch"];

/** Exactly what a set of reconcilers needs, from what they say they read and write. */
export function permissionsOf(reconcilers: readonly AnyReconciler[]): PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  const allow = (group: string, resource: string, allowed: readonly string[]) => {
    const key = `${group}/${resource}`;
    const held = verbs.get(key) ?? new Set<string>();
    verbs.set(key, held);
    for (const verb of allowed) held.add(verb);
  };
  const allowPatches = ({ group, plural }: Kind, patched: readonly string[]) => {
    allow(group, plural, [...reading, ...patched.filter((verb) => verb !== "status")]);
    if (patched.includes("status")) allow(group, `${plural}/status`, ["patch"]);
  };
  for (const reconciler of reconcilers) {
    const { group, plural } = reconciler.kind;
    // Finalizers are patched on the object itself; owner references that block deletion need the subresource on some clusters.
    // So are the managed fields of objects that are taken over.
    const isPatched = reconciler.finalizer !== undefined || reconciler.upstream !== undefined;
    allow(group, plural, isPatched ? [...reading, "patch"] : reading);
    if (reconciler.keepsStatus !== true) allow(group, `${plural}/status`, ["patch"]);
    if (reconciler.writes.length > 0) allow(group, `${plural}/finalizers`, ["update"]);
    for (const kind of reconciler.reads as readonly Kind[])
      allow(kind.group, kind.plural, isLookedUp(kind) ? ["get"] : reading);
    for (const kind of reconciler.writes) allow(kind.group, kind.plural, writing);
    for (const kind of reconciler.controls ?? reconciler.writes) allow(kind.group, kind.plural, ["delete"]);
    for (const { kind, verbs: patched } of reconciler.patches ?? []) allowPatches(kind, patched);
    for (const { apiGroups, resources, verbs: granted } of reconciler.grants ?? [])
      for (const at of apiGroups) for (const resource of resources) allow(at, resource, granted);
    for (const { group: at, plural: resource } of levelKinds(reconciler)) allow(at, resource, reading);
    if (reconciler.evicts === true) allow("", "pods/eviction", ["create"]);
  }
  allow("", "events", ["create", "patch"]);
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
