import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "@trivium/kube";
import { describeHostMisfit, exceedsNodes, hasOpenHostMemory, hostMemoryOf, largestNodeMemory } from "./node-memory.ts";

const gibibyte = 1024 ** 3;
const node = (name: string, memory?: string, unschedulable?: boolean): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  ...(unschedulable === undefined ? {} : { spec: { unschedulable } }),
  status: memory === undefined ? {} : { allocatable: { memory } },
});

test("the largest node that takes pods counts", () => {
  assert.equal(
    largestNodeMemory([node("a", "8Gi"), node("b", "23Gi"), node("c", "64Gi", true), node("d")]),
    23 * gibibyte,
  );
  assert.equal(largestNodeMemory([]), undefined);
  assert.equal(largestNodeMemory([node("a"), node("b", "much")]), undefined);
});

test("memory is open where neither memory nor a device is requested", () => {
  assert.equal(hasOpenHostMemory(undefined), true);
  assert.equal(hasOpenHostMemory({ requests: { cpu: "2" } }), true);
  assert.equal(hasOpenHostMemory({ requests: { memory: "2Gi" } }), false);
  assert.equal(hasOpenHostMemory({ limits: { memory: "2Gi" } }), false);
  assert.equal(hasOpenHostMemory({ limits: { "amd.com/gpu": "1" } }), false);
  assert.equal(hasOpenHostMemory({ claims: [{ name: "gpu" }] }), false);
});

test("a container gets its limit of a node, else all of it, and what it requests is kept", () => {
  const offered = 23 * gibibyte;
  const pool = (resources: Parameters<typeof hostMemoryOf>[0]) => hostMemoryOf(resources, offered);
  assert.deepEqual(pool(undefined), { name: "the largest node", bytes: offered });
  const request = { bytes: 2 * gibibyte, offered };
  assert.deepEqual(pool({ requests: { memory: "2Gi" } }), { name: "the largest node", bytes: offered, request });
  const limit = { name: "the memory limit", bytes: 2 * gibibyte, request };
  assert.deepEqual(pool({ limits: { memory: "2Gi" } }), limit);
  assert.equal(pool({ limits: { "amd.com/gpu": "1" } }), undefined);
  assert.equal(pool({ claims: [{ name: "gpu" }] }), undefined);
});

test("only known figures exceed, and equal ones fit", () => {
  assert.equal(exceedsNodes({ weightBytes: 30, nodeBytes: 23 }), true);
  assert.equal(exceedsNodes({ weightBytes: 23, nodeBytes: 23 }), false);
  assert.equal(exceedsNodes({ weightBytes: undefined, nodeBytes: 23 }), false);
  assert.equal(exceedsNodes({ weightBytes: 30, nodeBytes: undefined }), false);
});

test("a misfit names the object, both figures and the remedy", () => {
  const input = { of: "Model big", field: "spec.resources.requests.memory", weightBytes: 30 * gibibyte };
  assert.equal(
    describeHostMisfit({ ...input, nodeBytes: 23 * gibibyte }),
    "No node has enough memory for the weights: Model big needs 30.0Gi, and the largest node has 23.0Gi; use a smaller quantization, add a node with more memory, or set spec.resources.requests.memory if only a part is loaded",
  );
  assert.equal(describeHostMisfit({ ...input, nodeBytes: 64 * gibibyte }), undefined);
  assert.equal(describeHostMisfit({ ...input, nodeBytes: undefined }), undefined);
});
