import assert from "node:assert/strict";
import { test } from "node:test";
import { emitCrd } from "@trivium/kube";
import { validate } from "@trivium/schema";
import { judge } from "./cases.ts";
import { modelCases } from "./model.cases.ts";
import { Model } from "./model.ts";

for (const { title, spec, storedAs, refusedAt } of modelCases) {
  test(`Model: ${title}`, () => {
    const outcome = judge(Model, spec);
    assert.deepEqual(outcome.refusedAt, refusedAt ?? []);
    if (storedAs !== undefined) assert.deepEqual(outcome.spec, storedAs);
  });
}

const head = {
  apiVersion: "inference.llmkube.dev/v1alpha1",
  kind: "Model",
  metadata: { name: "x" },
  spec: { source: "a/b" },
};
const condition = {
  type: "Available",
  status: "True",
  reason: "Ok",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

test("Model: a status may be null, and so may nearly all that is in it", () => {
  const status = { size: null, gguf: { license: null }, conditions: [{ ...condition, observedGeneration: null }] };
  assert.deepEqual(validate(Model.schema, { ...head, status: null }), []);
  assert.deepEqual(validate(Model.schema, { ...head, status }), []);
  assert.deepEqual(validate(Model.schema, { ...head, status: { gguf: null, conditions: null } }), []);
});

test("Model: conditions are whole and each type is there once", () => {
  const fields = (conditions: object[]): string[] =>
    validate(Model.schema, JSON.parse(JSON.stringify({ ...head, status: { conditions } }))).map(({ field }) => field);
  assert.deepEqual(fields([condition, condition]), ["status.conditions[1]"]);
  assert.ok(fields([{ ...condition, status: "Maybe" }]).includes("status.conditions[0].status"));
  assert.ok(fields([{ ...condition, reason: "" }]).includes("status.conditions[0].reason"));
  assert.ok(fields([{ type: "Available" }]).includes("status.conditions[0].lastTransitionTime"));
});

test("Model: the type follows the definition", () => {
  const model: Model = {
    ...head,
    spec: { source: "a/b", sha256: null, hardware: { gpu: { count: 2, sharding: { strategy: "tensor" } } } },
  };
  // @ts-expect-error a Model has a source
  const without: Model["spec"] = {};
  // @ts-expect-error no such strategy
  const wrong: Model["spec"] = { source: "a/b", hardware: { gpu: { sharding: { strategy: "expert" } } } };
  assert.ok(model && without && wrong);
});

test("Model: how clients name it and what they list", () => {
  const { names, scope, versions } = emitCrd(Model).spec;
  assert.deepEqual(names, {
    kind: "Model",
    listKind: "ModelList",
    plural: "models",
    singular: "model",
    shortNames: ["mdl"],
  });
  assert.equal(scope, "Namespaced");
  assert.deepEqual(versions[0]?.subresources, { status: {} });
  assert.deepEqual(
    versions[0]?.additionalPrinterColumns?.map(({ name, priority = 0 }) => [name, priority]),
    [
      ["Phase", 0],
      ["Size", 0],
      ["Accelerator", 0],
      ["Reason", 0],
      ["Arch", 1],
      ["Age", 0],
    ],
  );
});
