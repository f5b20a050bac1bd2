import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { modelNameOf } from "./state.ts";

function serviceOf(api: string, fields: { readonly spec?: object; readonly status?: object }): AnyObject {
  const kind = dialects.find(({ name }) => name === api)?.serviceKind;
  assert.ok(kind);
  const apiVersion = `${kind.group}/${kind.version}`;
  return { apiVersion, kind: kind.kind, metadata: { name: "chat", namespace: "default" }, ...fields } as AnyObject;
}

test("the model of a service is not its configuration, template or runtime", () => {
  const status = {
    resolvedRuntimeConfig: { name: "default", kind: "AIMClusterRuntimeConfig" },
    resolvedTemplate: { name: "fast", kind: "AIMServiceTemplate" },
    resolvedModel: { name: "qwen", kind: "AIMClusterModel" },
  };
  assert.equal(modelNameOf(serviceOf("aim", { status })), "qwen");
  assert.equal(modelNameOf(serviceOf("aim", { status, spec: { model: { name: "qwen" } } })), "qwen");
  assert.equal(
    modelNameOf(serviceOf("aim", { status: { resolvedRuntimeConfig: status.resolvedRuntimeConfig } })),
    undefined,
  );
  assert.equal(
    modelNameOf(serviceOf("ome", { spec: { model: { name: "llama" }, runtime: { name: "vllm" } } })),
    "llama",
  );
  assert.equal(modelNameOf(serviceOf("llmkube", { spec: { modelRef: "phi" } })), "phi");
});
