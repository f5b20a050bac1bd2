import assert from "node:assert/strict";
import { test } from "node:test";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { withoutPredictor } from "./predictor.ts";

type Spec = InferenceService["spec"];
const read = (spec: Spec): Spec =>
  withoutPredictor({
    apiVersion: "ome.io/v1beta1",
    kind: "InferenceService",
    metadata: { name: "old", namespace: "team" },
    spec,
  }).spec;

test("C15: model, runtime and pod come from the predictor", () => {
  const { engine, model, runtime } = read({
    predictor: {
      minReplicas: 2,
      nodeSelector: { gpu: "yes" },
      model: { baseModel: "llama", runtime: "vllm", storageUri: "oci://x", protocolVersion: "v2" },
      workerSpec: { size: 1 },
    },
  });
  assert.deepEqual([model?.name, runtime?.name], ["llama", "vllm"]);
  assert.deepEqual(engine, {
    minReplicas: 2,
    nodeSelector: { gpu: "yes" },
    worker: { size: 1 },
    runner: {
      name: "ome-container",
      env: [
        { name: "STORAGE_URI", value: "oci://x" },
        { name: "PROTOCOL_VERSION", value: "v2" },
      ],
    },
  });
});

test("C15: which container serves: ome-container, else one with ome in its name, else the first", () => {
  const runner = (...names: string[]) => {
    const { engine } = read({ predictor: { containers: names.map((name) => ({ name })) } });
    return [engine?.runner?.name, engine?.containers?.map(({ name }) => name) ?? []];
  };
  assert.deepEqual(runner("side", "my-ome", "ome-container"), ["ome-container", ["side", "my-ome"]]);
  assert.deepEqual(runner("side", "my-OME"), ["my-OME", ["side"]]);
  assert.deepEqual(runner("a", "b"), ["a", ["b"]]);
  assert.deepEqual(read({ predictor: { model: { name: "own", image: "x", baseModel: "m" } } }).engine?.runner, {
    name: "own",
    image: "x",
  });
});

test("W3: a predictor that says nothing is none; an engine that is there is meant", () => {
  assert.equal(read({ predictor: {} }).engine, undefined);
  assert.equal(read({ predictor: { labels: { a: "b" } } }).engine, undefined);
  for (const predictor of [{ minReplicas: 1 }, { serviceAccountName: "x" }, { volumes: [] }, { tolerations: [] }])
    assert.notEqual(read({ predictor }).engine, undefined, JSON.stringify(predictor));
  assert.deepEqual(read({ engine: {}, predictor: { minReplicas: 9, model: { baseModel: "m" } } }), { engine: {} });
  assert.equal(read({ model: { name: "new" }, predictor: { model: { baseModel: "old" } } }).model?.name, "new");
});
