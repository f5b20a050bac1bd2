import { type Definitions, type ResourceRow, referencesIn } from "./facts.ts";

const servedKinds: Readonly<Record<string, readonly string[]>> = {
  "": [
    ...[
      "ConfigMap",
      "Endpoints",
      "Event",
      "LimitRange",
      "Namespace",
      "Node",
      "PersistentVolumeClaim",
      "PersistentVolume",
      "Pod",
    ],
    ...["PodTemplate", "ReplicationController", "ResourceQuota", "Secret", "ServiceAccount", "Service"],
  ],
  apps: ["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
  "events.k8s.io": ["Event"],
  autoscaling: ["HorizontalPodAutoscaler"],
  batch: ["CronJob", "Job"],
  "networking.k8s.io": ["IngressClass", "Ingress", "NetworkPolicy"],
  policy: ["PodDisruptionBudget"],
  "rbac.authorization.k8s.io": ["ClusterRoleBinding", "ClusterRole", "RoleBinding", "Role"],
  "storage.k8s.io": ["StorageClass"],
  "admissionregistration.k8s.io": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  "apiextensions.k8s.io": ["CustomResourceDefinition"],
  "scheduling.k8s.io": ["PriorityClass"],
  "coordination.k8s.io": ["Lease"],
  "discovery.k8s.io": ["EndpointSlice"],
  "node.k8s.io": ["RuntimeClass"],
  "resource.k8s.io": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate"],
};

/** Bodies and answers of calls that are no resources of their own. */
const spokenDefinitions = [
  "io.k8s.api.autoscaling.v1.Scale",
  "io.k8s.api.policy.v1.Eviction",
  "io.k8s.api.core.v1.Binding",
  "io.k8s.api.authentication.v1.TokenRequest",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
];

export const isServed = (row: ResourceRow): boolean => servedKinds[row.group]?.includes(row.kind) ?? false;

/** The definitions of the served kinds with everything they refer to, in the order of their names. */
export function selectDefinitions(all: Definitions, rows: readonly ResourceRow[]): Definitions {
  const wanted = new Set<string>();
  const follow = (name: string): void => {
    if (wanted.has(name)) return;
    const schema = all[name];
    if (schema === undefined) throw new Error(`the facts hold no definition ${name}`);
    wanted.add(name);
    referencesIn(schema).forEach(follow);
  };
  for (const row of rows) follow(definitionOf(all, row));
  spokenDefinitions.forEach(follow);
  return Object.fromEntries([...wanted].sort().map((name) => [name, all[name] ?? {}]));
}

/** The definition that says it describes this kind. */
export function definitionOf(all: Definitions, row: ResourceRow): string {
  const name = Object.keys(all).find((candidate) =>
    all[candidate]?.["x-kubernetes-group-version-kind"]?.some(
      (gvk) => gvk.group === row.group && gvk.version === row.version && gvk.kind === row.kind,
    ),
  );
  if (name === undefined) throw new Error(`the facts hold no schema of ${row.kind} ${row.group}/${row.version}`);
  return name;
}
