import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "@trivium/kube";
import { parseGpuNode } from "./gpu-node.ts";

const node = (labels: Record<string, string>, capacity: Record<string, string> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels },
  status: { capacity },
});

test("labels of vendors tell the memory of a GPU and the driver", () => {
  const nvidia = node(
    {
      "nvidia.com/gpu.memory": "81920",
      "nvidia.com/cuda.driver.major": "550",
      "nvidia.com/cuda.driver.minor": "54",
      "nvidia.com/cuda.driver.rev": "15",
      "nvidia.com/cuda.runtime.major": "12",
      "nvidia.com/cuda.runtime.minor": "4",
    },
    { cpu: "8", "nvidia.com/gpu": "2", "nvidia.com/mig-1g.5gb": "0" },
  );
  assert.deepEqual(parseGpuNode(nvidia), {
    name: "n",
    resources: { "nvidia.com/gpu": 2 },
    gpuBytes: 80 * 1024 ** 3,
    driver: "driver 550.54.15, CUDA 12.4",
  });
  assert.equal(parseGpuNode(node({ "amd.com/gpu.vram": "64G" }))?.gpuBytes, 64 * 1024 ** 3);
  const newer = { "nvidia.com/cuda.driver-version.full": "570.1", "nvidia.com/cuda.runtime-version.full": "12.8" };
  assert.equal(parseGpuNode(node(newer))?.driver, "driver 570.1, CUDA 12.8");
});

test("nodes that say nothing, or nonsense, are none", () => {
  assert.equal(parseGpuNode(node({})), undefined);
  assert.equal(parseGpuNode(node({ "nvidia.com/gpu.memory": "much" })), undefined);
});
