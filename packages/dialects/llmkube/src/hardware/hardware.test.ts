import assert from "node:assert/strict";
import { test } from "node:test";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import { gpuCount, planGpu } from "./gpu-plan.ts";
import { resourceOf, resourceOfAccelerator } from "./gpu-resource.ts";
import { planSharding } from "./sharding.ts";

type Hardware = NonNullable<Model["spec"]["hardware"]>;
const model = (hardware: Hardware | undefined): Model => ({
  apiVersion: "inference.llmkube.dev/v1alpha1",
  kind: "Model",
  metadata: { name: "m" },
  spec: { source: "o/r", ...(hardware === undefined ? {} : { hardware }) },
});
const service = (resources: InferenceService["spec"]["resources"] = {}): InferenceService => ({
  apiVersion: "inference.llmkube.dev/v1alpha1",
  kind: "InferenceService",
  metadata: { name: "s" },
  spec: { modelRef: "m", resources },
});

test("the vendor, its runtime and overrides name the resource", () => {
  const table: [Hardware["gpu"], string][] = [
    [{}, "nvidia.com/gpu"],
    [{ vendor: "amd" }, "amd.com/gpu"],
    [{ vendor: "amd", runtime: "rocm" }, "amd.com/gpu"],
    [{ vendor: "amd", runtime: "vulkan" }, "devic.es/dri-render"],
    [{ vendor: "intel" }, "gpu.intel.com/i915"],
    [{ vendor: "intel", runtime: "vulkan" }, "gpu.intel.com/i915"],
    [{ vendor: "amd", resourceName: "squat.ai/dri-render" }, "squat.ai/dri-render"],
  ];
  for (const [gpu, resource] of table) assert.equal(resourceOf(model({ gpu })), resource);
  assert.equal(resourceOf(model({ accelerator: "vulkan", gpu: { vendor: "amd" } })), "devic.es/dri-render");
  assert.equal(resourceOf(model({ accelerator: "vulkan", gpu: { vendor: "intel" } })), "devic.es/dri-render");
});

test("a cluster may name GPUs of AMD and Intel in its own way", () => {
  const named = { amd: "devic.es/dri-render", intel: "gpu.intel.com/xe" };
  assert.equal(resourceOf(model({ gpu: { vendor: "amd" } }), named), "devic.es/dri-render");
  assert.equal(resourceOf(model({ gpu: { vendor: "intel" } }), named), "gpu.intel.com/xe");
  assert.equal(resourceOfAccelerator(model({ accelerator: "intel" }), named), "gpu.intel.com/xe");
  const plan = planGpu(model({ gpu: { vendor: "intel", count: 1 } }), service(), named);
  assert.equal(plan.is === "resource" && plan.toleration.key, "gpu.intel.com/xe");
});

test("what must be there for an accelerator", () => {
  assert.equal(resourceOfAccelerator(model(undefined)), undefined);
  assert.equal(resourceOfAccelerator(model({ accelerator: "metal" })), undefined);
  assert.equal(resourceOfAccelerator(model({ accelerator: "cuda" })), "nvidia.com/gpu");
  assert.equal(resourceOfAccelerator(model({ accelerator: "vulkan" })), "devic.es/dri-render");
  assert.equal(resourceOfAccelerator(model({ accelerator: "rocm", gpu: { resourceName: "a.b/c" } })), "a.b/c");
});

test("the number of GPUs: the Model before the service, on means one, off means none", () => {
  const table: [Hardware["gpu"], number, number][] = [
    [{ count: 2 }, 1, 2],
    [{}, 3, 3],
    [{ enabled: true }, 0, 1],
    [{ enabled: true, count: 0 }, 0, 1],
    [{ enabled: false, count: 4 }, 2, 0],
    [{}, 0, 0],
  ];
  for (const [gpu, ofService, count] of table) {
    assert.equal(gpuCount(planGpu(model({ gpu }), service({ gpu: ofService }))), count);
  }
});

test("claims take the place of the resource and of its toleration", () => {
  const claims = [{ name: "g", resourceClaimName: "c" }];
  assert.deepEqual(planGpu(model({ gpu: { count: 2, resourceClaims: claims } }), service()), {
    is: "claims",
    claims,
    count: 2,
    vendor: "nvidia",
  });
});

test("a slice of a GPU is one resource of its own, and nothing else", () => {
  const slice = { gpuSharing: { mode: "partitioned", profile: "1g.10gb" } } as const;
  const plan = planGpu(model({ gpu: { count: 1 } }), service(slice));
  assert.equal(plan.is === "resource" && plan.resource, "nvidia.com/mig-1g.10gb");
  assert.equal(planGpu(model({ gpu: { count: 2 } }), service(slice)).is, "faulty");
  assert.equal(planGpu(model({ gpu: { count: 1, vendor: "amd" } }), service(slice)).is, "faulty");
  assert.equal(planGpu(model({ gpu: { count: 1, resourceName: "a/b" } }), service(slice)).is, "faulty");
});

test("a toleration follows the resource, or the key that was given", () => {
  const key = (gpu: Hardware["gpu"]) => {
    const plan = planGpu(model({ gpu }), service());
    return plan.is === "resource" ? plan.toleration.key : undefined;
  };
  assert.equal(key({ count: 1, resourceName: "a.b/c" }), "a.b/c");
  assert.equal(key({ count: 1, tolerationKey: "x.y/z" }), "x.y/z");
});

test("layers become shares", () => {
  const split = (layerSplit: string[], count: number) =>
    planSharding(model({ gpu: { sharding: { layerSplit } } }), count)?.tensorSplit;
  assert.equal(split([], 2), "1,1");
  assert.equal(split(["0-24", "25-39"], 2), "5,3");
  assert.equal(split(["0-15", "16-31", "32-39"], 3), "2,2,1");
  assert.equal(split(["0-15"], 2), "1,1");
  assert.equal(split(["15-0", "16-31"], 2), "1,1");
  assert.equal(split([], 1), undefined);
});

test("what cannot be met is said", () => {
  const reasons = (sharding: NonNullable<Hardware["gpu"]>["sharding"]) =>
    planSharding(model({ gpu: { sharding: sharding ?? {} } }), 2)?.warnings.map(({ reason }) => reason);
  assert.deepEqual(reasons({ strategy: "pipeline" }), ["PipelineFallback"]);
  assert.deepEqual(reasons({ layerSplit: ["0-15"] }), ["LayerSplitIgnored"]);
  assert.deepEqual(reasons({ strategy: "row" }), []);
});
