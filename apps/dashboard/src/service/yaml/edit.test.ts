import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { editableText, readEdit } from "./edit.ts";

const live = {
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: {
    name: "chat",
    namespace: "team",
    uid: "1",
    resourceVersion: "7",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", note: "a" },
    managedFields: [],
  },
  spec: { model: { name: "tiny" }, engine: { minReplicas: 1 } },
  status: { url: "x" },
} as unknown as AnyObject;

test("a person edits what a person writes", () => {
  const text = editableText(live);
  for (const word of ["managedFields", "resourceVersion", "uid", "status", "last-applied"])
    assert.ok(!text.includes(word), word);
  assert.match(text, /^apiVersion: ome.io\/v1beta1\nkind: InferenceService\nmetadata:\n {2}name: chat\n/);
});

test("a change is applied, and a removed field replaces the object", () => {
  const text = editableText(live);
  assert.equal(readEdit(text, live).is, "apply");
  const raised = readEdit(text.replace("minReplicas: 1", "minReplicas: 2"), live);
  assert.ok(raised.is === "apply");
  assert.deepEqual(raised.manifest.metadata, { name: "chat", namespace: "team", annotations: { note: "a" } });
  const removed = readEdit(text.replace(/ {2}engine:\n {4}minReplicas: 1\n/, ""), live);
  assert.ok(removed.is === "replace");
  assert.equal(removed.manifest.metadata.resourceVersion, "7", "a change in between is refused");
  assert.deepEqual(removed.manifest.spec, { model: { name: "tiny" } });
});

test("a removed label is seen, also one with a name that every object knows", () => {
  const labelled = { ...live, metadata: { ...live.metadata, labels: { constructor: "x", team: "a" } } } as AnyObject;
  const edit = readEdit(editableText(labelled).replace("    constructor: x\n", ""), labelled);
  assert.equal(edit.is, "replace");
});

test("what is no manifest of this object is refused with the reason", () => {
  for (const [from, to, why] of [
    ["kind: InferenceService", "kind: Pod", /^kind cannot change/],
    ["name: chat", "name: other", /name and namespace cannot change/],
    ["spec:", "spec: [", /./],
  ] as const) {
    const edit = readEdit(editableText(live).replace(from, to), live);
    assert.ok(edit.is === "faulty");
    assert.match(edit.why, why);
  }
  assert.deepEqual(readEdit("text", live), { is: "faulty", why: "the text is no object" });
});
