import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatFit, listMemory, planSizing, servingStyles } from "./index.ts";
import { type SizingFacts, weightBytesOf } from "./plan-sizing.ts";
import { findMisfit, sizeServing } from "./size-serving.ts";

const Gi = 2 ** 30;
const style = servingStyles.paged;

function fitOf(facts: Omit<SizingFacts, "style">) {
  const request = planSizing({ ...facts, style });
  return request === undefined ? undefined : sizeServing(request);
}

describe("memory from what a template or a runtime tells", () => {
  const rows: readonly [string, Omit<SizingFacts, "style">, string | undefined][] = [
    ["8B in bf16 on 24Gi", { parameters: 8e9, precision: "BF16", gpus: { count: 1, bytes: 24 * Gi } }, "yes"],
    ["70B in bf16 on 80Gi", { parameters: 70e9, precision: "bf16", gpus: { count: 1, bytes: 80 * Gi } }, "no"],
    ["70B in bf16 on 4 × 80Gi", { parameters: 70e9, precision: "bf16", gpus: { count: 4, bytes: 80 * Gi } }, "yes"],
    ["files count before parameters", { weightBytes: Gi, parameters: 70e9, gpus: { count: 1, bytes: 8 * Gi } }, "yes"],
    ["on the CPU", { weightBytes: 40 * Gi, host: { name: "node", bytes: 32 * Gi } }, "no"],
    ["unknown size", { precision: "fp8", gpus: { count: 1, bytes: Gi } }, undefined],
    ["unknown precision", { parameters: 8e9, precision: "constructor", gpus: { count: 1, bytes: Gi } }, undefined],
    ["unknown GPU", { weightBytes: Gi, gpus: { count: 1 } }, undefined],
    ["unknown host", { weightBytes: Gi }, undefined],
  ];
  for (const [name, facts, fits] of rows) test(name, () => assert.equal(fitOf(facts)?.fits, fits));

  test("bytes of weights", () => {
    assert.equal(weightBytesOf({ parameters: 10, precision: "fp4" }), 5);
    assert.equal(weightBytesOf({ parameters: 10, precision: "fp8" }), 10);
    assert.equal(weightBytesOf({ parameters: 10 }), undefined);
  });
});

describe("one sentence with the sum", () => {
  test("what fits names every term", () => {
    const fit = fitOf({ weightBytes: 10 * Gi, gpus: { count: 1, bytes: 40 * Gi } });
    assert.equal(
      fit && formatFit(fit),
      "Needs 13.0Gi of GPU memory, 36.0Gi available (weights 10.0Gi + cache 2.0Gi + reserve 1.0Gi)",
    );
  });
  test("what does not fit names what would", () => {
    const fit = fitOf({ parameters: 8e9, precision: "bf16", gpus: { count: 1, bytes: 16 * Gi } });
    assert.equal(fit?.fits, "no");
    assert.deepEqual(
      fit?.alternatives.map(({ change }) => change),
      ["quantization", "devices"],
    );
    assert.equal(
      fit && formatFit(fit),
      "Needs 18.9Gi of GPU memory, 14.4Gi available (weights 14.9Gi + cache 3.0Gi + reserve 1.0Gi); use weights quantized as Q8_0 or 2 GPUs of the same size",
    );
  });
  test("layers on the CPU", () => {
    const request = planSizing({ weightBytes: 20 * Gi, gpus: { count: 1, bytes: 16 * Gi }, style });
    assert.ok(request);
    const fit = sizeServing(request, 0);
    assert.equal(fit.fits, "partly");
    assert.match(formatFit(fit), /\. 0 layers run on the GPU and the rest on the CPU; to run all layers/);
  });
  test("a request that no node meets, however little the model needs", () => {
    const host = (bytes: number) => ({ name: "memory", bytes, request: { bytes, offered: 21 * Gi } });
    const request = planSizing({ weightBytes: Gi, host: host(900 * Gi), style });
    assert.ok(request);
    const fit = sizeServing(request);
    assert.equal(fit.fits, "no");
    const unmet =
      "No node has enough memory: a pod requests 900.0Gi, and the largest node offers 21.0Gi; request at most that (the model needs 2.2Gi), or add a larger node";
    assert.equal(formatFit(fit), unmet);
    const lines = listMemory(fit);
    assert.match(lines[0] ?? "", /^CPU: /);
    assert.equal(lines.at(-1), unmet);
    const met = planSizing({ weightBytes: Gi, host: host(21 * Gi), style });
    assert.equal(met && sizeServing(met).fits, "yes");
  });
  test("what cannot be computed says why", () => {
    const request = planSizing({ weightBytes: Gi, gpus: { count: 1, bytes: Gi }, style, slots: 0 });
    assert.ok(request);
    const fit = sizeServing(request);
    assert.equal(fit.fits, "no");
    assert.equal(formatFit(fit), "the context must have at least 1 token and at least 1 sequence");
  });
});

describe("weights that nothing can load", () => {
  const sized = (weightBytes: number, gpus: number) => {
    const request = planSizing({ weightBytes, gpus: { count: gpus, bytes: 80 * Gi }, style });
    assert.ok(request);
    return { request, subject: "Model big", field: "spec.resources.requests.memory", hasServed: false } as const;
  };
  test("more than all GPUs of a replica have", () => {
    const found = findMisfit({ ...sized(200 * Gi, 2), isDeviceOnly: true, gpuField: "spec.gpus" });
    assert.deepEqual(found, {
      subject: "Model big",
      cause:
        "The GPUs of a replica have too little memory for the weights: Model big needs 200.0Gi, and a replica has 2 × GPU 0 with 80.0Gi",
      remedy: "use more or larger GPUs (spec.gpus), or a smaller quantization",
    });
    assert.equal(findMisfit({ ...sized(160 * Gi, 2), isDeviceOnly: true }), undefined);
    assert.equal(findMisfit(sized(200 * Gi, 2)), undefined);
    assert.equal(findMisfit({ ...sized(200 * Gi, 2), isDeviceOnly: true, hasServed: true }), undefined);
  });
  test("more than the largest node has", () => {
    const found = findMisfit({ ...sized(200 * Gi, 1), nodeBytes: 64 * Gi });
    assert.match(found?.cause ?? "", /Model big needs 200\.0Gi, and the largest node has 64\.0Gi$/);
  });
});
