import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { nodesOf } from "./nodes-of.ts";

const model = { apiVersion: "v1", kind: "Model", metadata: { name: "m", namespace: "a" } } as AnyObject;
const pod = (name: string, nodeName: string, fields: { labels?: object; claim?: string; namespace?: string } = {}) =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: fields.namespace ?? "a", labels: fields.labels ?? {} },
    spec: { nodeName, volumes: [{ persistentVolumeClaim: { claimName: fields.claim ?? "other" } }] },
  }) as unknown as AnyObject;

test("weights are on nodes that report them, and where pods mount their claim or carry their labels", () => {
  const pods = [
    pod("one", "n1", { claim: "weights" }),
    pod("two", "n2", { labels: { model: "m" } }),
    pod("three", "n3"),
    pod("four", "n4", { claim: "weights", labels: { model: "m" }, namespace: "b" }),
  ];
  assert.deepEqual(nodesOf(model, { nodes: ["n0"], claim: "weights", readers: { model: "m" } }, pods), [
    "n0",
    "n1",
    "n2",
  ]);
  assert.deepEqual(nodesOf(model, undefined, pods), []);
});
