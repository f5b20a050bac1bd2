import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "@trivium/kube";
import { diagnose, findFailure, formatDiagnosis } from "../index.ts";
import { observePod } from "./observe-pod.ts";

const message =
  "0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient nvidia.com/gpu. " +
  "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "chat-0", namespace: "default" },
  spec: {
    initContainers: [{ name: "fetch", resources: { requests: { cpu: "100m" } } }],
    containers: [
      { name: "main", resources: { requests: { cpu: "2", "nvidia.com/gpu": "2" } } },
      { name: "side", resources: { requests: { cpu: "500m" } } },
    ],
  },
  status: { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }] },
};
const node = (allocatable: Record<string, string>): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: { allocatable },
});
const observed = (...nodes: readonly Node[]) => observePod(pod, "", { listParts: () => nodes } as never);

test("a GPU that no node has is told from one that is in use", () => {
  const none = observed(node({ cpu: "1" }), node({ cpu: "1", "nvidia.com/gpu": "0" }));
  assert.deepEqual(none.shortages, [
    { resource: "cpu", requested: 2500, offered: 1000 },
    { resource: "nvidia.com/gpu", requested: 2, offered: 0 },
  ]);
  const failure = findFailure([none]);
  assert.match(
    failure === undefined ? "" : formatDiagnosis(diagnose(failure, { paths: {} })),
    /^Pod chat-0 cannot be scheduled: no node provides nvidia\.com\/gpu: it needs 2 nvidia\.com\/gpu \(.*\); add a node that provides it, or do not request it$/,
  );
  const some = observed(node({ cpu: "1" }), node({ "nvidia.com/gpu": "1" }));
  assert.deepEqual(some.shortages?.at(-1), { resource: "nvidia.com/gpu", requested: 2, offered: 1 });
  assert.equal(observed().shortages, undefined);
});
