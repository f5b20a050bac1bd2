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
  spec: { containers: [] },
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
  assert.equal(none.nowhere, "nvidia.com/gpu");
  const failure = findFailure([none]);
  assert.match(
    failure === undefined ? "" : formatDiagnosis(diagnose(failure, { paths: {} })),
    /^Pod chat-0 cannot be scheduled: no node provides nvidia\.com\/gpu \(.*\); add a node that provides it, or do not request it$/,
  );
  assert.equal(observed(node({ cpu: "1" }), node({ "nvidia.com/gpu": "1" })).nowhere, undefined);
  assert.equal(observed().nowhere, undefined);
});
