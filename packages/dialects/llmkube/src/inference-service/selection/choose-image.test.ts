import assert from "node:assert/strict";
import { test } from "node:test";
import type { Choice } from "@trivium/domain";
import { planGpu } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { defaultOptions } from "../../options.ts";
import { engineOf } from "../pod/engines/index.ts";
import { chooseImage } from "./choose-image.ts";

type Spec = Partial<InferenceService["spec"]>;
type Gpu = NonNullable<NonNullable<Model["spec"]["hardware"]>["gpu"]>;

function choiceOf(spec: Spec, { gpu, runtimes = {} }: { gpu?: Gpu; runtimes?: Record<string, string> } = {}): Choice {
  const apiVersion = "inference.llmkube.dev/v1alpha1";
  const metadata = { name: "m", namespace: "default" };
  const hardware = gpu === undefined ? {} : { hardware: { gpu } };
  const model: Model = {
    apiVersion,
    kind: "Model",
    metadata,
    spec: { source: "hf://a/b", ...hardware } as Model["spec"],
  };
  const service: InferenceService = {
    apiVersion,
    kind: "InferenceService",
    metadata,
    spec: { modelRef: "m", ...spec },
  };
  const engine = engineOf(spec.runtime);
  assert.ok(engine);
  const options = { ...defaultOptions, images: { ...defaultOptions.images, runtimes } };
  return chooseImage({ service, model, engine, gpu: planGpu(model, service, options.gpuResources), options });
}

const summary = ({ chosen, because }: Choice): readonly (string | undefined)[] => [chosen, because];

test("an image of the service wins over one of the operator, and that over the default", () => {
  const runtimes = { llamacpp: "registry/llama:1" };
  assert.deepEqual(summary(choiceOf({ image: "mine:1" }, { runtimes })), ["mine:1", "set in spec.image"]);
  assert.deepEqual(summary(choiceOf({}, { runtimes })), [
    "registry/llama:1",
    "set in --runtime-images of the operator",
  ]);
  const { candidates } = choiceOf({ image: "mine:1" }, { runtimes });
  assert.deepEqual(candidates.find(({ name }) => name === "registry/llama:1")?.lost, {
    rank: "named in",
    actual: "--runtime-images",
    best: "spec.image",
  });
});

test("the default follows the vendor of the GPU, and the builds for others say why they lost", () => {
  const amd = choiceOf({}, { gpu: { enabled: true, count: 1, vendor: "amd" } });
  assert.deepEqual(summary(amd), [
    "ghcr.io/ggml-org/llama.cpp:server-rocm",
    "the default of runtime llamacpp with amd GPUs",
  ]);
  const cuda = amd.candidates.find(({ name }) => name.includes("cuda"));
  assert.deepEqual(cuda?.failed, [{ gate: "GPU", reason: "OtherVendor", actual: "amd", required: "nvidia" }]);
  const named = amd.candidates.find(({ name }) => name === "spec.image");
  assert.equal(named?.change, "set spec.image");
  assert.match(summary(choiceOf({}))[1] ?? "", /without a GPU$/);
});

test("a runtime without an image of its own has none until one is named", () => {
  const none = choiceOf({ runtime: "generic" });
  assert.equal(none.chosen, undefined);
  assert.deepEqual(
    none.candidates.map(({ change }) => change),
    ["set generic=<image> in --runtime-images of the operator", "set spec.image"],
  );
});
