import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { dialects } from "@trivium/local";

type Fields = { readonly spec?: object; readonly status?: object; readonly generation?: number };

function summaryOf(api: string, { generation = 1, ...fields }: Fields) {
  const dialect = dialects.find(({ name }) => name === api);
  assert.ok(dialect);
  const { group, version, kind } = dialect.serviceKind;
  const metadata = { name: "chat", namespace: "default", generation };
  return dialect.summarizeService({ apiVersion: `${group}/${version}`, kind, metadata, ...fields } as AnyObject);
}

const observed = (type: string, observedGeneration = 1) => [
  { type, status: "True", reason: "Ready", message: "", observedGeneration },
];

test("the profile is what was chosen to run a service, not its configuration or its cache", () => {
  const status = {
    resolvedRuntimeConfig: { name: "default", kind: "AIMClusterRuntimeConfig" },
    resolvedTemplate: { name: "fast", kind: "AIMServiceTemplate" },
    resolvedTemplateCache: { name: "fast", kind: "AIMTemplateCache" },
  };
  assert.equal(summaryOf("aim", { spec: {}, status }).profile, "fast");
  assert.equal(summaryOf("aim", { spec: {} }).profile, undefined);
  assert.equal(summaryOf("llmkube", { spec: { modelRef: "m" } }).profile, "llamacpp");
  assert.equal(summaryOf("llmkube", { spec: { modelRef: "m", runtime: "vllm" } }).profile, "vllm");
  const selection = JSON.stringify({ of: "runtime", chosen: "sglang", because: "", candidates: [] });
  const selected = { annotations: { "trivium.dev/selection": selection } };
  assert.equal(summaryOf("ome", { spec: { model: { name: "m" } }, status: selected }).profile, "sglang");
  assert.equal(summaryOf("ome", { spec: { model: { name: "m" }, runtime: { name: "vllm" } } }).profile, "vllm");
  for (const hostile of ["", "[]", "{", '{"chosen":{}}'])
    assert.equal(
      summaryOf("ome", { spec: {}, status: { annotations: { "trivium.dev/selection": hostile } } }).profile,
      undefined,
    );
});

test("ready and desired replicas are those of the status, and of the spec until a change is observed", () => {
  const llmkube = (spec: object, generation: number) =>
    summaryOf("llmkube", {
      generation,
      spec: { modelRef: "m", ...spec },
      status: { replicas: 3, readyReplicas: 1, desiredReplicas: 3, conditions: observed("Available") },
    }).replicas;
  assert.deepEqual(llmkube({ replicas: 3 }, 1), { ready: 1, desired: 3 }, "pods that are not ready do not count");
  assert.deepEqual(llmkube({ replicas: 0 }, 2), { ready: 1, desired: 0 }, "stopped a moment ago");
  assert.deepEqual(llmkube({ replicas: 3, suspend: true }, 2), { ready: 1, desired: 0 });
  assert.deepEqual(
    llmkube({ autoscaling: { maxReplicas: 4 } }, 2),
    { ready: 1, desired: 3 },
    "the autoscaler's number",
  );
  const aim = (spec: object, generation: number) =>
    summaryOf("aim", {
      generation,
      spec,
      status: { runtime: { currentReplicas: 2, desiredReplicas: 3 }, conditions: observed("Ready") },
    }).replicas;
  assert.deepEqual(aim({ replicas: 1, minReplicas: 1, maxReplicas: 4 }, 1), { ready: 2, desired: 3 });
  assert.deepEqual(aim({ replicas: 5 }, 2), { ready: 2, desired: 5 }, "scaled a moment ago");
});
