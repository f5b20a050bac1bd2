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
  const write = ["create", "delete", "get", "list", "patch", "update", "watch"];
  assert.deepEqual(permissionsOf([one, two]), [
    { apiGroups: [""], resources: ["configmaps"], verbs: write },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "get", "patch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: write },
    { apiGroups: ["garden.example"], resources: ["roses"], verbs: ["get", "list", "patch", "watch"] },
    { apiGroups: ["garden.example"], resources: ["roses/finalizers"], verbs: ["update"] },
    { apiGroups: ["garden.example"], resources: ["roses/status"], verbs: ["get", "patch"] },
  ]);
  assert.deepEqual(permissionsOf([two, one]), permissionsOf([one, two]));
});

test("who evicts may ask for it", () => {
  const manager: AnyReconciler = { ...base, name: "keeper", reads: [Pod], writes: [], evicts: true };
  const rules = permissionsOf([manager]).filter(({ resources }) => resources.some((one) => one.startsWith("pods")));
  assert.deepEqual(rules, [
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
  ]);
});

test("Secrets are read by name and never listed", () => {
  const reader: AnyReconciler = { ...base, name: "reader", reads: [Secret, Pod], writes: [] };
  const rules = permissionsOf([reader]).filter(({ resources }) => resources.includes("secrets"));
  assert.deepEqual(rules, [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]);
});
