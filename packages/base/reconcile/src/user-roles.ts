import type { ClusterRole } from "@trivium/kube";
import type { Dialect } from "./dialect.ts";

const aggregated = (to: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${to}`]: "true" });

/**
 * Roles that add the kinds of a dialect to Kubernetes' own `view`, `edit` and `admin`; `admin` contains `edit`. Kinds without a namespace,
 * and those that limit users, are read only: they belong to the administrator of the cluster. Statuses belong to the operator.
 */
export function userRolesOf({ name, group, kinds, limits = [] }: Dialect): ClusterRole[] {
  const readable = kinds.flatMap(({ plural, scale }) => [plural, `${plural}/status`, ...scaleOf(plural, scale)]);
  const writable = kinds
    .filter((kind) => kind.namespaced && !limits.includes(kind))
    .flatMap(({ plural, scale }) => [plural, ...scaleOf(plural, scale)]);
  const role = (to: string, resources: string[], verbs: string[]): ClusterRole => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `trivium-${name}-${to}`, labels: aggregated(to) },
    rules: [{ apiGroups: [group], resources: resources.sort(), verbs }],
  });
  return [
    role("view", readable, ["get", "list", "watch"]),
    role("edit", writable, ["create", "delete", "deletecollection", "patch", "update"]),
  ];
}

const scaleOf = (plural: string, scale: unknown): string[] => (scale === undefined ? [] : [`${plural}/scale`]);
