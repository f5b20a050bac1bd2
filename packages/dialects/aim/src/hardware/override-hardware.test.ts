import assert from "node:assert/strict";
import { test } from "node:test";
import { overrideHardware } from "./override-hardware.ts";

const mi300x = { gpuSelector: { model: "MI300X", count: 1, resourceName: "amd.com/gpu" } };
const newer = {
  hardware: { gpu: { requests: 1, models: ["MI300X", "MI325X"], minVram: "64Gi" }, cpu: { requests: "4" } },
};

test("omitted fields are kept", () => {
  assert.deepEqual(overrideHardware(mi300x, {}), mi300x);
  assert.deepEqual(overrideHardware(mi300x, { gpuSelector: { count: 2, resourceName: "amd.com/gpu" } }), {
    gpuSelector: { model: "MI300X", count: 2, resourceName: "amd.com/gpu" },
  });
  assert.deepEqual(overrideHardware(mi300x, { gpuSelector: { model: "MI325X" } }), {
    gpuSelector: { model: "MI325X", count: 1, resourceName: "amd.com/gpu" },
  });
  assert.deepEqual(overrideHardware({}, { gpuSelector: { count: 2 } }), { gpuSelector: { count: 2 } });
});

test("a defaulted resource name replaces none that the user set", () => {
  const base = { gpuSelector: { model: "H100", resourceName: "nvidia.com/gpu" } };
  const count = { count: 2, resourceName: "amd.com/gpu" };
  assert.equal(overrideHardware(base, { gpuSelector: count }).gpuSelector?.resourceName, "nvidia.com/gpu");
  const other = { ...count, resourceName: "nvidia.com/mig-1g.10gb" };
  assert.equal(overrideHardware(base, { gpuSelector: other }).gpuSelector?.resourceName, "nvidia.com/mig-1g.10gb");
});

test("the two forms of hardware override each other", () => {
  assert.deepEqual(overrideHardware(newer, { gpuSelector: { count: 4, resourceName: "amd.com/gpu" } }), {
    hardware: { gpu: { ...newer.hardware.gpu, requests: 4, resourceName: "amd.com/gpu" }, cpu: { requests: "4" } },
  });
  assert.deepEqual(overrideHardware(mi300x, { hardware: { gpu: { requests: 2 } } }), {
    hardware: { gpu: { model: "MI300X", requests: 2, resourceName: "amd.com/gpu" } },
  });
  assert.deepEqual(overrideHardware(newer, { hardware: { gpu: { model: "MI355X" } } }).hardware?.gpu, {
    requests: 1,
    model: "MI355X",
  });
  assert.deepEqual(overrideHardware(newer, { hardware: { cpu: { requests: "8" } } }).hardware, {
    gpu: newer.hardware.gpu,
    cpu: { requests: "8" },
  });
});
