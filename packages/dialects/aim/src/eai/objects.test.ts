import assert from "node:assert/strict";
import { test } from "node:test";
import { newerKindName, swapKey, swapOwner, toNewer, toOlder } from "./objects.ts";

test("keys are called as in the other group, and come back", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["aim.silogen.ai/service-name", "aim.eai.amd.com/service"],
    ["aim.silogen.ai/model-source", "aim.eai.amd.com/model-source"],
    ["aim.silogen.ai/origin", "aim.eai.amd.com/origin"],
    // Names that every object of the language has are names like others.
    ["aim.silogen.ai/constructor", "aim.eai.amd.com/constructor"],
    ["aim.silogen.ai/toString", "aim.eai.amd.com/toString"],
    ["aim.silogen.ai/__proto__", "aim.eai.amd.com/__proto__"],
    ["example.com/constructor", "example.com/constructor"],
  ];
  for (const [older, newer] of rows) {
    assert.equal(swapKey(older), newer);
    assert.equal(swapKey(newer), older);
  }
});

test("a kind is called as it is, whatever its name", () => {
  assert.equal(newerKindName("AIMModelCache"), "AIMArtifact");
  for (const kind of ["constructor", "toString", "__proto__"]) {
    const owner = { apiVersion: "aim.silogen.ai/v1alpha1", kind, name: "x", uid: "1" };
    assert.equal(newerKindName(kind), kind);
    assert.deepEqual(swapOwner(swapOwner(owner)), owner);
    const object = { apiVersion: owner.apiVersion, kind, metadata: { name: "x" }, spec: { a: 1 }, status: { b: 2 } };
    assert.deepEqual(toOlder(toNewer(object)), object);
  }
});
