import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Deployment, type Kind, Pod, Secret } from "@trivium/kube";
import type { AnyReconciler } from "@trivium/reconcile";
import { permissionsOf } from "./permissions.ts";

const Rose: Kind = { group: "garden.example", version: "v1", kind: "Rose", plural: "roses", namespaced: true };
const base = { kind: Rose, observe: () => null, decide: () => ({ do: "release" as const }) };

test("rules are exactly what reads and writes say, merged and in a stable order", () => {
  const one: AnyReconciler = { ...base, name: "one", reads: [Pod, ConfigMap], writes: [Deployment] };
  const two: AnyReconciler = { ...base, name: "two", reads: [], writes: [ConfigMap], finalizer: "x/y" };
  const write = ["create", "delete", "list", "patch", "watch"];
  assert.deepEqual(permissionsOf([one, two]), [
    { apiGroups: [""], resources: ["configmaps"], verbs: write },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: write },
    { apiGroups: ["garden.example"], resources: ["roses"], verbs: ["list", "patch", "watch"] },
    { apiGroups: ["garden.example"], resources: ["roses/finalizers"], verbs: ["update"] },
    { apiGroups: ["garden.example"], resources: ["roses/status"], verbs: ["patch"] },
  ]);
  assert.deepEqual(permissionsOf([two, one]), permissionsOf([one, two]));
});

test("only what is pruned can be deleted", () => {
  const pruning: AnyReconciler = {
    ...base,
    name: "pruning",
    reads: [],
    writes: [ConfigMap, Deployment],
    controls: [Deployment],
    patches: [{ kind: Pod, verbs: ["delete"] }],
  };
  const deleted = (reconciler: AnyReconciler): string[] =>
    permissionsOf([reconciler]).flatMap(({ resources, verbs }) => (verbs.includes("delete") ? resources : []));
  assert.deepEqual(deleted(pruning), ["pods", "deployments"]);
  assert.deepEqual(deleted({ ...pruning, controls: [], patches: [] }), []);
});

test("who evicts may ask for it", () => {
  const manager: AnyReconciler = { ...base, name: "keeper", reads: [Pod], writes: [], evicts: true };
  const rules = permissionsOf([manager]).filter(({ resources }) => resources.some((one) => one.startsWith("pods")));
  assert.deepEqual(rules, [
    { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
  ]);
});

test("who patches objects of others gets those verbs; who has no children and keeps the status gets nothing for them", () => {
  const patches = [{ kind: ConfigMap as Kind, verbs: ["patch"] as const }];
  const patcher: AnyReconciler = { ...base, name: "patcher", reads: [], writes: [], patches, keepsStatus: true };
  assert.deepEqual(permissionsOf([patcher]), [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "patch", "watch"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    { apiGroups: ["garden.example"], resources: ["roses"], verbs: ["list", "watch"] },
  ]);
});

test("who patches only the status of others cannot change the rest", () => {
  const patches = [{ kind: Pod as Kind, verbs: ["status"] as const }];
  const patcher: AnyReconciler = { ...base, name: "patcher", reads: [], writes: [], patches, keepsStatus: true };
  assert.deepEqual(
    permissionsOf([patcher]).filter(({ resources }) => resources.some((one) => one.startsWith("pods"))),
    [
      { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
      { apiGroups: [""], resources: ["pods/status"], verbs: ["patch"] },
    ],
  );
});

test("who creates Roles has what they grant", () => {
  const grants = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const granting: AnyReconciler = { ...base, name: "granting", reads: [Pod], writes: [ConfigMap], grants };
  const rules = permissionsOf([granting]).filter(({ resources }) => resources.includes("pods"));
  assert.deepEqual(rules, [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }]);
});

test("Secrets are read by name and never listed", () => {
  const reader: AnyReconciler = { ...base, name: "reader", reads: [Secret, Pod], writes: [] };
  const rules = permissionsOf([reader]).filter(({ resources }) => resources.includes("secrets"));
  assert.deepEqual(rules, [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]);
});
