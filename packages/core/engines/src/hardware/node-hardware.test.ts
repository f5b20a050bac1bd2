import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "@trivium/kube";
import { largestNodeMemory } from "../sizing/nodes/node-memory.ts";
import { parseGpuNode } from "./gpu-node.ts";
import { nodeHardware } from "./node-hardware.ts";
import { summarizeGpus } from "./summarize-gpus.ts";

const labels = {
  "kubernetes.io/hostname": "n",
  "models.ome.io/clusterbasemodel.llama": "Ready",
  "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
  "nvidia.com/gpu.memory": "81920",
  "nvidia.com/cuda.driver.major": "550",
};
const allocatable = { cpu: "8", memory: "64Gi", "nvidia.com/gpu": "2" };
const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels, resourceVersion: "7" },
  status: {
    allocatable,
    capacity: allocatable,
    conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z" }],
    images: [{ names: ["example.com/serve"], sizeBytes: 1 }],
  },
};

test("heartbeats, images and what agents label are not part of the hardware", () => {
  const later: Node = {
    ...node,
    metadata: { ...node.metadata, labels: { ...labels, "models.ome.io/other": "Failed" }, resourceVersion: "8" },
    status: { ...node.status, conditions: [{ type: "Ready", status: "True" }], images: [] },
  };
  assert.deepEqual(nodeHardware.of(later), nodeHardware.of(node));
});

test("all that is decided by hardware is the same for the part and for the whole", () => {
  const nodes: Node[] = [
    node,
    { ...node, spec: { unschedulable: true } },
    { ...node, metadata: { ...node.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    { ...node, metadata: { name: "m", labels: { "amd.com/gpu.device-id": "74a1", "beta.amd.com/gpu.vram": "192G" } } },
    { ...node, metadata: { name: "f", labels: { "feature.node.kubernetes.io/nvidia-gpu-model": "A10" } }, status: {} },
    { apiVersion: "v1", kind: "Node", metadata: { name: "bare" } },
  ];
  for (const whole of nodes) {
    const part = nodeHardware.of(whole);
    assert.deepEqual(parseGpuNode(part), parseGpuNode(whole));
    assert.deepEqual(summarizeGpus([part]), summarizeGpus([whole]));
    assert.deepEqual(largestNodeMemory([part]), largestNodeMemory([whole]));
  }
});
