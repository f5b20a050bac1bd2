import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImageFault } from "@trivium/domain";
import fc from "fast-check";
import { parseDiscoveryOutput } from "./discovery-output.ts";
import { pullFault } from "./pull-fault.ts";

const entry = (more: object) => JSON.stringify([{ filename: "x.yaml", ...more }]);

test("profile and weights as the image reports them", () => {
  const log = entry({
    profile: {
      metadata: { engine: "vllm", gpu: "MI300X", precision: "FP8", gpu_count: 1, metric: "latency", type: "optimized" },
      engine_args: { "max-model-len": 4096 },
      env_vars: { A: "1", B: 2, C: null },
    },
    models: [
      { name: "acme/Foo", source: "hf://acme/Foo", size_gb: 0.5 },
      { name: "x", source: "s3://b/k", size_gb: 8.5 },
    ],
  });
  assert.deepEqual(parseDiscoveryOutput(log), {
    is: "found",
    profile: {
      engine_args: { "max-model-len": 4096 },
      env_vars: { A: "1", B: "2" },
      metadata: { engine: "vllm", gpu: "MI300X", gpuCount: 1, metric: "latency", precision: "fp8", type: "optimized" },
    },
    modelSources: [
      { name: "acme/Foo", modelId: "acme/Foo", sourceUri: "hf://acme/Foo", size: "512Mi" },
      { name: "x", modelId: "x", sourceUri: "s3://b/k", size: "8704Mi" },
    ],
  });
});

test("unknown values and fields of other types are ignored", () => {
  const log = entry({
    profile: { metadata: { precision: "fp6", metric: 7, gpu_count: "1", type: "best" }, env_vars: [] },
  });
  assert.deepEqual(parseDiscoveryOutput(log), { is: "found", profile: { metadata: {} }, modelSources: [] });
  assert.deepEqual(parseDiscoveryOutput(entry({ profile: 7, models: "x" })).is, "found");
});

test("weights that cannot be downloaded are an error", () => {
  for (const models of [[{ source: "ftp://x" }], [{}], [7], [{ source: "hf://a b" }]])
    assert.equal(parseDiscoveryOutput(entry({ models })).is, "faulty", JSON.stringify(models));
  const odd = parseDiscoveryOutput(
    entry({
      models: [
        { source: "hf://a/b", size_gb: -1 },
        { source: "hf://a/c", size_gb: 1e300 },
      ],
    }),
  );
  assert.deepEqual(odd.is === "found" && odd.modelSources, [{ sourceUri: "hf://a/b" }, { sourceUri: "hf://a/c" }]);
});

test("any output of an image is parsed", () => {
  fc.assert(fc.property(fc.json({ maxDepth: 4 }), (text) => void parseDiscoveryOutput(`[${text}]`)));
});

test("why an image cannot be pulled", () => {
  const reasonOf = (image: ImageFault) => pullFault({ kind: "image", pod: "p", message: "", image })?.reason;
  assert.equal(reasonOf("denied"), "ImagePullAuthFailure");
  assert.equal(reasonOf("missing"), "ImageNotFound");
  assert.equal(reasonOf("unreachable"), "ImagePullBackOff");
  assert.equal(pullFault({ kind: "crash", pod: "p", message: "401" }), undefined);
});
