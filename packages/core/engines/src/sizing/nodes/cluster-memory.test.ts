import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node } from "@trivium/kube";
import { findModelMisfit, summarizeClusterMemory } from "./cluster-memory.ts";

const GiB = 1024 ** 3;
const node = (memory: string, gpus = "0", labels: Record<string, string> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels },
  status: { allocatable: { memory, "nvidia.com/gpu": gpus } },
});
const h100 = { "nvidia.com/gpu.memory": String(80 * 1024) };

describe("the memory of a cluster", () => {
  test("is that of its largest node, and of all GPUs together", () => {
    assert.deepEqual(summarizeClusterMemory([node("64Gi"), node("32Gi", "8", h100), node("32Gi", "4", h100)]), {
      nodeBytes: 64 * GiB,
      gpuBytes: 960 * GiB,
    });
  });
  test("is unknown where GPUs do not report theirs, and where no node reports any", () => {
    assert.equal(summarizeClusterMemory([node("64Gi"), node("64Gi", "1")]), undefined);
    assert.equal(summarizeClusterMemory([]), undefined);
    assert.equal(summarizeClusterMemory([node("much")]), undefined);
  });
});

describe("a model that no node can load", () => {
  const input = { subject: "BaseModel m", weightBytes: 100 * GiB, isLowerBound: false, override: "it" };
  test("is named with the figures and what to do", () => {
    const found = findModelMisfit({ ...input, memory: { nodeBytes: 64 * GiB, gpuBytes: 80 * GiB } });
    assert.deepEqual(found, {
      subject: "BaseModel m",
      cause:
        "No node can load the weights: BaseModel m needs 100.0Gi, the largest node has 64.0Gi of memory, and all GPUs together have 80.0Gi",
      remedy: "use a smaller quantization, add nodes with more memory, or set it to download it anyway",
    });
  });
  test("fits as soon as the largest node or all GPUs are large enough", () => {
    for (const memory of [
      { nodeBytes: 100 * GiB, gpuBytes: 0 },
      { nodeBytes: GiB, gpuBytes: 100 * GiB },
    ])
      assert.equal(findModelMisfit({ ...input, memory }), undefined);
  });
});
