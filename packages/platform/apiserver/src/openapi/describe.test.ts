import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDefinition } from "./describe.ts";

test("fields that people look up have a description, types of Kubernetes say where to read on", () => {
  const spec = {
    type: "object",
    properties: { image: { type: "string" }, resources: { $ref: "#/x" }, tty: { type: "boolean" } },
  };
  const described = describeDefinition("io.k8s.api.core.v1.Container", spec);
  assert.deepEqual(described.properties, {
    image: { description: "Image to run", type: "string" },
    resources: { description: "Resources the container requests, and their limits", allOf: [{ $ref: "#/x" }] },
    tty: { type: "boolean" },
  });
  assert.match(String(described.description), /see the Kubernetes reference/);
});

test("kinds of CRDs are left as they are", () => {
  const own = { type: "object" };
  assert.equal(describeDefinition("ai.silogen.aim.v1alpha1.AIMService", own), own);
});
