import type { Json, JsonObject } from "@trivium/std";
import { clusterWide, namespaced } from "../handle.ts";
import { type CallStep, call, type Sequence, sequence } from "../sequence.ts";
import { maps, podSpec, pods, secrets } from "./kinds.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const roles = namespaced(rbac, "roles", "Role");
const bindings = namespaced(rbac, "rolebindings", "RoleBinding");
const clusterRoles = clusterWide(rbac, "clusterroles", "ClusterRole");
const group = "rbac.authorization.k8s.io";

/** The same step, carried out as somebody without rights of their own. */
function as(user: string, { method, path, body, headers }: CallStep, more: Record<string, string> = {}): CallStep {
  return call(method, path, body, { ...headers, "impersonate-user": user, ...more });
}

const granted = (rules: JsonObject[], subject: JsonObject = { apiGroup: group, kind: "User", name: "jane-{id}" }) => [
  roles.create("own", { rules }),
  bindings.create("own", { roleRef: { apiGroup: group, kind: "Role", name: "own" }, subjects: [subject] }),
];

const rule = (resources: string[], verbs: string[], more: JsonObject = {}): JsonObject => ({
  apiGroups: [""],
  resources,
  verbs,
  ...more,
});
const ofRoles = (resources: string[], verbs: string[], more: JsonObject = {}): JsonObject => ({
  ...rule(resources, verbs, more),
  apiGroups: [group],
});
const jane = "jane-{id}";
const review = (kind: string, spec: Json): CallStep =>
  call("POST", `/apis/authorization.k8s.io/v1/${kind}`, { apiVersion: "authorization.k8s.io/v1", spec });
const attributes = { namespace: "{ns}", verb: "get", resource: "pods" };

export const access: Sequence[] = [
  sequence(
    "access/without rights",
    as(jane, pods.list()),
    as(jane, pods.get("absent")),
    as(jane, pods.create("a", { spec: podSpec })),
    as(jane, call("GET", "/api/v1/pods")),
    as(jane, call("GET", "/api/v1/namespaces/{ns}")),
    as(jane, call("GET", "/api/v1/namespaces/{ns}/pods/a/log")),
    as(jane, call("DELETE", "/apis/apps/v1/namespaces/{ns}/deployments")),
    as(jane, call("GET", "/apis/nowhere.example/v1/things")),
    as(jane, call("GET", "/metrics")),
    as(jane, secrets.list("fieldSelector=metadata.name%3Da")),
    as(jane, maps.apply("a", { data: {} })),
    as("j<b>-{id}", pods.list()),
  ),
  sequence(
    "access/rules",
    ...granted([
      rule(["configmaps"], ["get"], { resourceNames: ["mine"] }),
      rule(["pods", "*/log"], ["list", "get"]),
      rule(["secrets"], ["list"], { resourceNames: ["token"] }),
    ]),
    as(jane, maps.get("mine")),
    as(jane, maps.get("other")),
    as(jane, pods.get("absent")),
    as(jane, call("GET", "/api/v1/namespaces/{ns}/pods/absent/log")),
    as(jane, call("GET", "/api/v1/namespaces/{ns}/pods/absent/status")),
    as(jane, secrets.list()),
    as(jane, secrets.list("fieldSelector=metadata.name%3Dtoken")),
    as(jane, secrets.list("fieldSelector=metadata.name%3Dother")),
  ),
  sequence(
    "access/dangling binding",
    bindings.create("own", {
      roleRef: { apiGroup: group, kind: "Role", name: "absent" },
      subjects: [{ apiGroup: group, kind: "User", name: jane }],
    }),
    as(jane, pods.list()),
  ),
  sequence(
    "access/creating by update",
    ...granted([rule(["configmaps"], ["patch"]), ofRoles(["roles"], ["update"])]),
    as(jane, maps.apply("new", { data: { a: "1" } })),
    as(jane, roles.put("new", { rules: [] })),
  ),
  sequence(
    "access/escalation",
    ...granted([ofRoles(["roles", "rolebindings"], ["create", "update"]), rule(["pods"], ["get"])]),
    as(jane, roles.create("fine", { rules: [rule(["pods"], ["get"], { resourceNames: ["a"] })] })),
    as(jane, roles.create("more", { rules: [rule(["secrets"], ["get", "list"]), rule(["pods"], ["get", "watch"])] })),
    as(jane, roles.put("fine", { rules: [rule(["pods", "pods/log"], ["get"], { resourceNames: ["a", "b"] })] })),
    as(
      jane,
      bindings.create("up", {
        roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: group, kind: "User", name: jane }],
      }),
    ),
    as(
      jane,
      bindings.create("none", {
        roleRef: { apiGroup: group, kind: "Role", name: "absent" },
        subjects: [{ apiGroup: group, kind: "User", name: jane }],
      }),
    ),
  ),
  sequence(
    "access/impersonation",
    as(jane, pods.list(), { "impersonate-group": "system:masters" }),
    as("system:serviceaccount:{ns}:robot", pods.list()),
    call("GET", "/api/v1/namespaces/{ns}/pods", undefined, { "impersonate-group": "team" }),
    call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { "impersonate-user": "system:anonymous" }),
    as(jane, call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}), {
      "impersonate-extra-scopes": "view",
      "impersonate-uid": "1234",
      "impersonate-group": "team",
    }),
  ),
  sequence(
    "access/reviews",
    ...granted([rule(["pods"], ["get"])]),
    review("subjectaccessreviews", { user: jane, resourceAttributes: attributes }),
    review("subjectaccessreviews", { user: jane, resourceAttributes: { ...attributes, verb: "list" } }),
    review("subjectaccessreviews", { user: jane, nonResourceAttributes: { path: "/api", verb: "get" } }),
    review("subjectaccessreviews", {
      user: jane,
      groups: ["system:authenticated"],
      nonResourceAttributes: { path: "/api", verb: "get" },
    }),
    as(jane, review("selfsubjectaccessreviews", { resourceAttributes: attributes })),
    as(jane, review("subjectaccessreviews", { user: jane, resourceAttributes: attributes })),
    as(jane, review("namespaces/{ns}/localsubjectaccessreviews", { user: jane, resourceAttributes: attributes })),
  ),
  sequence(
    "access/aggregation",
    clusterRoles.create("{id}", { aggregationRule: {} }),
    clusterRoles.create("{id}", {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "judge/{id}": "not a value!" } }] },
    }),
  ),
];
