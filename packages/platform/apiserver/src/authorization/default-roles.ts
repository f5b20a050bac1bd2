import type { api } from "@trivium/kube";

/** A role that every cluster has from its first day. */
export interface DefaultRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly api.PolicyRule[];
  /** The label that roles have whose rules this one takes over. */
  readonly aggregates?: string;
}

export interface DefaultBinding {
  readonly name: string;
  readonly groups: readonly string[];
}

const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];
const label = (to: string): string => `rbac.authorization.k8s.io/aggregate-to-${to}`;
const rule = (verbs: string[], group: string, ...resources: string[]): api.PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

const scalable = (...names: string[]): string[] => names.flatMap((name) => [name, `${name}/scale`]);
const withStatus = (...names: string[]): string[] => names.flatMap((name) => [name, `${name}/status`]);

const viewRules: readonly api.PolicyRule[] = [
  rule(read, "", "configmaps", "endpoints", "pods", "serviceaccounts", ...scalable("replicationcontrollers")),
  rule(read, "", ...withStatus("persistentvolumeclaims", "services")),
  rule(read, "", "bindings", "events", "limitranges", "namespaces", "namespaces/status", "pods/log", "pods/status"),
  rule(read, "", "replicationcontrollers/status", ...withStatus("resourcequotas")),
  rule(read, "discovery.k8s.io", "endpointslices"),
  rule(read, "apps", "controllerrevisions", ...withStatus("daemonsets", "deployments", "replicasets", "statefulsets")),
  rule(read, "apps", "deployments/scale", "replicasets/scale", "statefulsets/scale"),
  rule(read, "autoscaling", ...withStatus("horizontalpodautoscalers")),
  rule(read, "batch", ...withStatus("cronjobs", "jobs")),
  rule(read, "policy", ...withStatus("poddisruptionbudgets")),
  rule(read, "networking.k8s.io", "networkpolicies", ...withStatus("ingresses")),
  rule(read, "resource.k8s.io", "resourceclaimtemplates", ...withStatus("resourceclaims")),
];

const podStreams = ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy"];

const editRules: readonly api.PolicyRule[] = [
  rule(read, "", ...podStreams, "secrets", "services/proxy"),
  rule(["impersonate"], "", "serviceaccounts"),
  rule(write, "", "pods", ...podStreams),
  rule(["create"], "", "pods/eviction", "serviceaccounts/token"),
  rule(write, "", "configmaps", "events", "persistentvolumeclaims", ...scalable("replicationcontrollers")),
  rule(write, "", "secrets", "serviceaccounts", "services", "services/proxy"),
  rule(write, "apps", "daemonsets", ...scalable("deployments", "replicasets", "statefulsets")),
  rule(write, "autoscaling", "horizontalpodautoscalers"),
  rule(write, "batch", "cronjobs", "jobs"),
  rule(write, "policy", "poddisruptionbudgets"),
  rule(write, "networking.k8s.io", "ingresses", "networkpolicies"),
  rule([...read, ...write], "coordination.k8s.io", "leases"),
  rule(write, "resource.k8s.io", "resourceclaims", "resourceclaimtemplates"),
];

const adminRules: readonly api.PolicyRule[] = [
  rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
  rule([...read, ...write], "rbac.authorization.k8s.io", "rolebindings", "roles"),
];

const healthPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discoveryPaths = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...healthPaths];

export const defaultRoles: readonly DefaultRole[] = [
  {
    name: "cluster-admin",
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
  },
  { name: "admin", aggregates: label("admin") },
  { name: "edit", aggregates: label("edit"), labels: { [label("admin")]: "true" } },
  { name: "view", aggregates: label("view"), labels: { [label("edit")]: "true" } },
  { name: "system:aggregate-to-admin", labels: { [label("admin")]: "true" }, rules: adminRules },
  { name: "system:aggregate-to-edit", labels: { [label("edit")]: "true" }, rules: editRules },
  { name: "system:aggregate-to-view", labels: { [label("view")]: "true" }, rules: viewRules },
  { name: "system:discovery", rules: [{ nonResourceURLs: discoveryPaths, verbs: ["get"] }] },
  { name: "system:public-info-viewer", rules: [{ nonResourceURLs: healthPaths, verbs: ["get"] }] },
  {
    name: "system:basic-user",
    rules: [
      rule(["create"], "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
      rule(["create"], "authentication.k8s.io", "selfsubjectreviews"),
    ],
  },
  {
    name: "system:auth-delegator",
    rules: [
      rule(["create"], "authentication.k8s.io", "tokenreviews"),
      rule(["create"], "authorization.k8s.io", "subjectaccessreviews"),
    ],
  },
];

/** Each of the role of the same name. */
export const defaultBindings: readonly DefaultBinding[] = [
  { name: "cluster-admin", groups: ["system:masters"] },
  { name: "system:discovery", groups: ["system:authenticated"] },
  { name: "system:basic-user", groups: ["system:authenticated"] },
  { name: "system:public-info-viewer", groups: ["system:authenticated", "system:unauthenticated"] },
];
