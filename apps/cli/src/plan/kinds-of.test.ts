import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { concernedDialects } from "./kinds-of.ts";

const manifest = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: "chat" } });
const namesOf = (...manifests: ReturnType<typeof manifest>[]) =>
  concernedDialects(manifests, dialects).map(({ name }) => name);

test("manifests of one API concern its reconcilers only", () => {
  const service = manifest("inference.llmkube.dev/v1alpha1", "InferenceService");
  assert.deepEqual(namesOf(service, manifest("inference.llmkube.dev/v1alpha1", "Model")), ["llmkube"]);
  assert.deepEqual(namesOf(service, manifest("ome.io/v1beta1", "InferenceService")), ["ome", "llmkube"]);
});

test("an object of Kubernetes concerns all", () => {
  const all = dialects.map(({ name }) => name);
  assert.deepEqual(namesOf(manifest("ome.io/v1beta1", "InferenceService"), manifest("v1", "Secret")), all);
});

test("no dialect reads or writes objects of another", () => {
  for (const { name, group, reconcilers } of dialects) {
    const others = new Set(dialects.map((one) => one.group).filter((one) => one !== group));
    const kinds = reconcilers.flatMap(({ reads, writes }) => [...reads, ...writes] as readonly Kind[]);
    const foreign = kinds.filter((kind) => others.has(kind.group));
    assert.deepEqual(
      foreign.map(({ kind }) => kind),
      [],
      name,
    );
  }
});
