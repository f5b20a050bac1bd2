import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceAnnotation } from "@trivium/engines";
import type { AnyObject } from "@trivium/kube";
import { statusGuide } from "./status-guide.ts";

const apiVersion = "ome.io/v1beta1";
const runtimeKinds = ["ServingRuntime", "ClusterServingRuntime"];
const runtimesOf = (object: object): readonly string[] =>
  statusGuide
    .uses(object as AnyObject)
    .filter(({ kinds }) => String(kinds) === String(runtimeKinds))
    .map(({ name }) => name);

test("a service depends on the runtime that it names, or that was selected for it", () => {
  const service = {
    ...{ apiVersion, kind: "InferenceService", metadata: { name: "chat", namespace: "a" } },
    spec: { model: { name: "tiny" } },
  };
  assert.deepEqual(runtimesOf(service), []);
  const annotations = { [choiceAnnotation]: JSON.stringify({ chosen: "vllm" }) };
  assert.deepEqual(runtimesOf({ ...service, status: { annotations } }), ["vllm"]);
  assert.deepEqual(runtimesOf({ ...service, spec: { model: { name: "tiny" }, runtime: { name: "sglang" } } }), [
    "sglang",
  ]);
});

test("a model in a claim depends on the claim", () => {
  const modelAt = (storageUri: string): AnyObject =>
    ({
      apiVersion,
      kind: "BaseModel",
      metadata: { name: "m", namespace: "a" },
      spec: { storage: { storageUri } },
    }) as never;
  const claim = { kinds: ["PersistentVolumeClaim"], name: "weights", namespace: "a" };
  assert.deepEqual(statusGuide.uses(modelAt("pvc://weights/m.gguf")), [claim]);
  assert.deepEqual(statusGuide.uses(modelAt("pvc://b:weights/m.gguf")), [{ ...claim, namespace: "b" }]);
  assert.deepEqual(statusGuide.uses(modelAt("hf://org/repo")), []);
});

test("a service that says BaseModel depends on that kind only", () => {
  const kindsOf = (kind?: string) =>
    statusGuide.uses({
      ...{ apiVersion, kind: "InferenceService", metadata: { name: "chat", namespace: "a" } },
      spec: { model: { name: "tiny", ...(kind === undefined ? {} : { kind }) } },
    } as never)[0]?.kinds;
  assert.deepEqual(kindsOf("BaseModel"), ["BaseModel"]);
  assert.deepEqual(kindsOf("ClusterBaseModel"), ["BaseModel", "ClusterBaseModel"]);
  assert.deepEqual(kindsOf(), ["BaseModel", "ClusterBaseModel"]);
});
