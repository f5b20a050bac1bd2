import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { KServeInferenceService } from "@trivium/kube";
import { readCases } from "@trivium/testkit";
import { type AimOptions, defaultOptions } from "../src/options.ts";
import { serviceReconciler } from "../src/service/reconciler.ts";

const cases = readCases(join(import.meta.dirname, "../src/service/cases"));

/** What KServe is given in a saved world, by an operator that is set up like this. */
function predictorOf(name: string, options: Partial<AimOptions>): KServeInferenceService["spec"]["predictor"] {
  const saved = cases.find((one) => one.name === name);
  assert.ok(saved);
  const reconciler = serviceReconciler({ ...defaultOptions, ...options });
  const decision = reconciler.decide(saved.object as never, saved.observed as never, saved.now);
  const children = decision.do === "converge" ? decision.children : [];
  const made = children.find(({ object }) => object.kind === "InferenceService");
  assert.ok(made);
  return (made.object as KServeInferenceService).spec.predictor;
}

test("KServe gets the container itself if the operator is configured so", () => {
  const { model, ...rest } = predictorOf("b2-worked-example-serves", {});
  const { containers, ...inline } = predictorOf("b2-worked-example-serves", { runtimeMode: "inline" });
  const { modelFormat: _, runtime, ...container } = model ?? {};
  assert.equal(runtime, "foo-8b-1x-mi300x-lat-fp8-d46c");
  assert.deepEqual(inline, rest);
  assert.deepEqual(containers, [
    {
      name: "kserve-container",
      image: "registry.acme.io/aim/foo-8b:1.4.2",
      ports: [{ name: "http", containerPort: 8000, protocol: "TCP" }],
      ...container,
    },
  ]);
});

test("weights are mounted and expected where the operator is configured", () => {
  const { model } = predictorOf("b2-worked-example-serves", { cacheRoot: "/workspace/cache" });
  assert.deepEqual(
    model?.volumeMounts?.map(({ mountPath }) => mountPath),
    ["/dev/shm", "/workspace/cache/acme/Foo-8B-FP8"],
  );
  assert.equal(model?.env?.find(({ name }) => name === "AIM_CACHE_PATH")?.value, "/workspace/cache");
});
