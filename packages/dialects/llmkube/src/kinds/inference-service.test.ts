import assert from "node:assert/strict";
import { test } from "node:test";
import { emitCrd } from "@trivium/kube";
import { judge } from "./cases.ts";
import { inferenceServiceCases } from "./inference-service.cases.ts";
import { InferenceService } from "./inference-service.ts";

for (const { title, spec, storedAs, refusedAt } of inferenceServiceCases) {
  test(`InferenceService: ${title}`, () => {
    const outcome = judge(InferenceService, spec);
    assert.deepEqual(outcome.refusedAt, refusedAt ?? []);
    if (storedAs !== undefined) assert.deepEqual(outcome.spec, storedAs);
  });
}

test("InferenceService: the type follows the definition", () => {
  const spec: InferenceService["spec"] = {
    modelRef: "m",
    runtime: "vllm",
    turboQuantBits: 8,
    env: [{ name: "A", value: "b" }],
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
  };
  // @ts-expect-error no such engine
  const wrong: InferenceService["spec"] = { modelRef: "m", runtime: "triton" };
  assert.ok(spec && wrong);
});

test("InferenceService: how clients name it, list it and scale it", () => {
  const { names, scope, versions } = emitCrd(InferenceService).spec;
  assert.deepEqual([names.plural, names.shortNames, scope], ["inferenceservices", ["isvc"], "Namespaced"]);
  assert.deepEqual(versions[0]?.subresources, {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  });
  assert.deepEqual(
    versions[0]?.additionalPrinterColumns?.map(({ name, priority = 0 }) => [name, priority]),
    [
      ["Phase", 0],
      ["Model", 0],
      ["Replicas", 0],
      ["Reason", 0],
      ["Queue", 1],
      ["Priority", 1],
      ["Endpoint", 0],
      ["Age", 0],
    ],
  );
});
