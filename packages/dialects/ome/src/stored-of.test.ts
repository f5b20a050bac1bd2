import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { storedOf } from "./stored-of.ts";

const of = (kind: string, status: object, annotations: Record<string, string> = {}) =>
  storedOf({
    apiVersion: "ome.io/v1beta1",
    kind,
    metadata: { name: "a", annotations },
    spec: {},
    status,
  } as KubeObject);

test("a model reports the nodes that have it, and its size from its files or its download", () => {
  const discovered = { "ome.io/discovered": JSON.stringify({ weightBytes: 42 }) };
  assert.deepEqual(of("ClusterBaseModel", { nodesReady: ["n1"] }, discovered), { bytes: 42, nodes: ["n1"] });
  const downloads = [{ node: "n1", bytesDone: 1, bytesTotal: 10 }];
  assert.deepEqual(of("BaseModel", { downloads }), { bytes: 10, nodes: undefined });
  assert.equal(of("ServingRuntime", {}), undefined);
});
