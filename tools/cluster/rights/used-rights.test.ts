import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiRequest, Kind } from "@trivium/kube";
import { findUnproven } from "./differences.ts";
import { rightsOf } from "./right.ts";
import { rightsNeeded } from "./used-rights.ts";

const Rose: Kind = { group: "garden.example", version: "v1", kind: "Rose", plural: "roses", namespaced: true };

const needed = (method: ApiRequest["method"], path: string, status = 200, body?: string): string[] =>
  rightsNeeded({ method, path, headers: {}, body }, { status }, [Rose]);

test("a request needs the right that an API server checks", () => {
  assert.deepEqual(needed("GET", "/api/v1/pods?limit=1"), ["list pods"]);
  assert.deepEqual(needed("GET", "/api/v1/namespaces/a/pods?watch=true"), ["watch pods"]);
  assert.deepEqual(needed("GET", "/api/v1/namespaces/a/pods/b/log?follow=true"), ["get pods/log"]);
  assert.deepEqual(needed("GET", "/api/v1/namespaces/a"), ["get namespaces"]);
  assert.deepEqual(needed("GET", "/api/v1/nodes/n"), ["get nodes"]);
  assert.deepEqual(needed("POST", "/api/v1/namespaces/a/pods/b/eviction", 201), ["create pods/eviction"]);
  assert.deepEqual(needed("PUT", "/apis/apps/v1/namespaces/a/deployments/b"), ["update deployments.apps"]);
  assert.deepEqual(needed("DELETE", "/apis/garden.example/v1/namespaces/a/roses/b"), ["delete roses.garden.example"]);
  assert.deepEqual(needed("DELETE", "/apis/garden.example/v1/namespaces/a/roses"), [
    "deletecollection roses.garden.example",
  ]);
  assert.deepEqual(needed("PATCH", "/apis/garden.example/v1/namespaces/a/roses/b/status"), [
    "patch roses.garden.example/status",
  ]);
});

test("an apply that creates needs two; a refused request and one without a resource need none", () => {
  const path = "/apis/apps/v1/namespaces/a/deployments/b?fieldManager=x";
  assert.deepEqual(needed("PATCH", path, 201), ["patch deployments.apps", "create deployments.apps"]);
  assert.deepEqual(needed("PATCH", path, 403), []);
  assert.deepEqual(needed("GET", "/apis"), []);
  assert.deepEqual(needed("GET", "/version"), []);
});

test("an owner that waits for its child needs a right of its own", () => {
  const owner = { apiVersion: "garden.example/v1", kind: "Rose", name: "r", uid: "u", blockOwnerDeletion: true };
  const stranger = { ...owner, kind: "Tulip" };
  const body = JSON.stringify({ metadata: { ownerReferences: [owner, stranger] } });
  assert.deepEqual(needed("PATCH", "/api/v1/namespaces/a/services/b", 200, body), [
    "patch services",
    "update roses.garden.example/finalizers",
  ]);
});

test("a client that writes a Role needs the rights in it", () => {
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }];
  const body = JSON.stringify({ kind: "Role", rules });
  assert.deepEqual(needed("PATCH", "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles/b", 200, body), [
    "patch roles.rbac.authorization.k8s.io",
    "get pods",
    "list pods",
  ]);
});

test("rules are the rights of every verb on every resource", () => {
  const rules = [{ apiGroups: ["garden.example"], resources: ["roses", "roses/status"], verbs: ["get", "patch"] }];
  assert.deepEqual(
    [...rightsOf(rules)],
    [
      "get roses.garden.example",
      "patch roses.garden.example",
      "get roses.garden.example/status",
      "patch roses.garden.example/status",
    ],
  );
});

test("a right that no story uses is granted for a file that exists", () => {
  const folders = [import.meta.dirname];
  const uses = {
    "get a": "reads; right.ts",
    "get b": "reads",
    "get c": "reads; gone.ts",
    "get d": "right.ts, gone.ts",
  };
  assert.deepEqual(findUnproven(uses, folders), ["get b: reads", "get c: reads; gone.ts", "get d: right.ts, gone.ts"]);
});
