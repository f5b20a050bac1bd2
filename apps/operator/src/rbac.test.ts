import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Namespace, Pod } from "@trivium/kube";
import { type AnyReconciler, type Dialect, plainStatusGuide } from "@trivium/reconcile";
import { parseAllDocuments } from "yaml";
import { parseOptions } from "./options/options.ts";
import { emitRbac, formatRbac } from "./rbac.ts";

const reconciler: AnyReconciler = {
  name: "test.one",
  kind: Pod,
  reads: [Namespace],
  writes: [ConfigMap],
  observe: () => null,
  decide: () => ({ do: "hold", status: {} }),
};
const dialect: Dialect = {
  name: "test",
  group: "",
  kinds: [],
  statusGuide: plainStatusGuide,
  reconcilers: [reconciler],
};

const permissions = [{ apiGroups: [""], resources: ["pods/log"], verbs: ["get"] }];

function grantsFor(...args: string[]) {
  const request = parseOptions(args);
  if (request.is !== "run") throw new Error("a text was asked for");
  return emitRbac(request.options, { dialects: [dialect], permissions });
}

const summaryOf = (grants: ReturnType<typeof grantsFor>) =>
  grants.map(({ kind, metadata, rules }) => {
    const resources = (rules as { resources: string[] }[] | undefined)?.flatMap((rule) => rule.resources);
    return [kind, metadata.namespace ?? "", metadata.name, ...(resources ?? [])].join(" ");
  });

test("for all namespaces: a cluster role, and the Lease in its own namespace", () => {
  assert.deepEqual(summaryOf(grantsFor("--operator-namespace", "ops")), [
    "ServiceAccount ops trivium-operator",
    "ClusterRole  trivium-operator configmaps events namespaces pods pods/finalizers pods/status pods/log",
    "ClusterRoleBinding  trivium-operator",
    "Role ops trivium-operator-take-over configmaps configmaps",
    "RoleBinding ops trivium-operator-take-over",
    "Role ops trivium-operator-leader leases",
    "RoleBinding ops trivium-operator-leader",
  ]);
});

test("for one namespace: rights elsewhere only to kinds that have none", () => {
  const args = ["--operator-namespace", "ops", "--namespace", "team", "--no-leader-election", "--install-crds"];
  assert.deepEqual(summaryOf(grantsFor(...args)), [
    "ServiceAccount ops trivium-operator",
    "ClusterRole  trivium-operator namespaces customresourcedefinitions",
    "ClusterRoleBinding  trivium-operator",
    "Role team trivium-operator configmaps events pods pods/finalizers pods/status pods/log",
    "RoleBinding team trivium-operator",
    "Role default trivium-operator-events events",
    "RoleBinding default trivium-operator-events",
    "Role ops trivium-operator-take-over configmaps configmaps",
    "RoleBinding ops trivium-operator-take-over",
  ]);
});

test("with webhooks: their Secret and their configurations, by name", () => {
  const flags = ["--webhook-cert-secret", "hooks", "--webhook-configuration", "mine", "--no-leader-election"];
  const grants = grantsFor("--operator-namespace", "ops", ...flags);
  const rules = grants.flatMap((grant) => (grant.rules ?? []) as { resourceNames?: string[] }[]);
  assert.deepEqual(
    rules.filter(({ resourceNames = [] }) => resourceNames.some((one) => one === "hooks" || one === "mine")),
    [
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        resourceNames: ["mine"],
        verbs: ["patch", "watch"],
      },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["hooks"], verbs: ["get", "patch", "watch"] },
    ],
  );
  assert.ok(summaryOf(grants).includes("Role ops trivium-operator-webhooks secrets"));
});

test("the account is the one of the operator's namespace, also where the right is in another; all of it is YAML", () => {
  const grants = grantsFor("--operator-namespace", "ops", "--namespace", "team", "--lease-namespace", "leases");
  for (const { kind, subjects } of grants.filter(({ kind }) => kind.endsWith("Binding"))) {
    assert.deepEqual(subjects, [{ kind: "ServiceAccount", name: "trivium-operator", namespace: "ops" }], kind);
  }
  const documents = parseAllDocuments(formatRbac(grants)).map((document) => document.toJS());
  assert.deepEqual(documents, JSON.parse(JSON.stringify(grants)));
});
