import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { api } from "@trivium/kube";
import fc from "fast-check";
import { type ChosenClass, chooseClass } from "../../../accelerators/index.ts";
import type { InferenceService } from "../../../kinds/inference-service.ts";
import { applyClass } from "./apply-class.ts";
import { mergeArguments } from "./merge-arguments.ts";
import { setParallelSizes } from "./parallel-size.ts";

describe("arguments of a class", () => {
  const rows: readonly (readonly [name: string, base: string[], over: string[], merged: string[]])[] = [
    [
      "M12: a script gets one line more",
      ["python3 -m server \\\n  --host=0.0.0.0 \\\n  --port=8080"],
      ["--tp-size=4"],
      ["python3 -m server \\\n--host=0.0.0.0 \\\n--port=8080 \\\n--tp-size=4"],
    ],
    [
      "a line of a script is replaced",
      ["serve \\\n--tp-size 2 \\\n--port 8080"],
      ["--tp-size", "4"],
      ["serve \\\n--tp-size 4 \\\n--port 8080"],
    ],
    ["M13: in place", ["--tp-size=4", "--port=8080"], ["--tp-size=8"], ["--tp-size=8", "--port=8080"]],
    [
      "M14: with its value",
      ["--tp-size", "4", "--port", "8080"],
      ["--tp-size", "8"],
      ["--tp-size", "8", "--port", "8080"],
    ],
    [
      "M15: at the end",
      ["python3", "-m", "server", "--port=8080"],
      ["--debug"],
      ["python3", "-m", "server", "--port=8080", "--debug"],
    ],
    ["M16: nothing to change", ["--port=8080"], [], ["--port=8080"]],
    ["M16: nothing there", [], ["--debug", "--tp", "2"], ["--debug", "--tp", "2"]],
    ["both ways to write a value", ["--tp-size=4"], ["--tp-size", "8"], ["--tp-size", "8"]],
    ["a number below zero is a value", ["--seed", "-1", "--x"], ["--seed", "-2"], ["--seed", "-2", "--x"]],
    ["a flag that begins alike is another", ["--tp-size=4"], ["--tp=8"], ["--tp-size=4", "--tp=8"]],
  ];
  for (const [name, base, over, merged] of rows) test(name, () => assert.deepEqual(mergeArguments(base, over), merged));

  test("merging twice is merging once", () => {
    const flags = fc.array(fc.constantFrom("--a=1", "--a=2", "--b=1", "-c=3", "--d"), { maxLength: 6 });
    const start = fc.constantFrom([], ["serve"], ["serve \\\n--a=1 \\\n--e"]);
    fc.assert(
      fc.property(start, flags, flags, (first, more, over) => {
        const base = [...first, ...more];
        const once = mergeArguments(base, over);
        assert.deepEqual(mergeArguments(once, over), once);
      }),
    );
  });
});

describe("sizes", () => {
  const set = (args: string[], command: string[] = []) =>
    setParallelSizes({ command, args }, { tensor: 8, pipeline: 2 });
  test("are replaced where they are written, in arguments before the command", () => {
    assert.deepEqual(set(["--tp-size=4", "--pp", "1"]).args, ["--tp-size=8", "--pp", "2"]);
    assert.deepEqual(set(["serve \\\n--tensor-parallel-size 4 \\\n--x"]).args, [
      "serve \\\n--tensor-parallel-size 8 \\\n--x",
    ]);
    assert.deepEqual(set(["--x"], ["sh", "-c", "serve --tp=4"]).command, ["sh", "-c", "serve --tp=8"]);
  });
  test("M17: nothing is added where no size is written", () => {
    const words = { command: ["serve"], args: ["--port=8080", "--tpx=1", "--tp"] };
    assert.deepEqual(setParallelSizes(words, { tensor: 8, pipeline: 2 }), words);
    assert.deepEqual(setParallelSizes(words, { tensor: 0 }), words);
  });
});

describe("the class of a component", () => {
  const service = (spec: Partial<InferenceService["spec"]>, annotation?: string): InferenceService => ({
    apiVersion: "ome.io/v1beta1",
    kind: "InferenceService",
    metadata: { name: "x", ...(annotation ? { annotations: { "ome.io/accelerator-class": annotation } } : {}) },
    spec,
  });
  const selector = { acceleratorSelector: { acceleratorClass: "a100" } };
  const own = { engine: { acceleratorOverride: { acceleratorClass: "h100" } } };

  const runtime = {
    name: "rt",
    spec: { supportedModelFormats: [], acceleratorRequirements: { acceleratorClasses: ["h100"] } },
  };
  const chosen = (one: InferenceService, component: "engine" | "decoder" = "engine"): ChosenClass | undefined => {
    const outcome = chooseClass(one, component, { runtime, classes: [] });
    return outcome.is === "chosen" ? outcome.chosen : undefined;
  };

  test("its own, then the service's, then the annotation's", () => {
    assert.equal(chosen(service({ ...selector, ...own }, "l4"))?.name, "h100");
    assert.equal(chosen(service({ ...selector, ...own }, "l4"), "decoder")?.name, "a100");
    assert.equal(chosen(service({ ...own }, "l4"), "decoder")?.name, "l4");
    assert.equal(chosen(service({})), undefined);
  });

  test("changes what the entry that fits the model says, and nothing else", () => {
    const entry = (modelArchitecture: string, value: string) => ({
      modelFormat: { name: "safetensors" },
      modelFramework: { name: "transformers" },
      modelArchitecture,
      autoSelect: true,
      acceleratorConfig: {
        h100: {
          tensorParallelismOverride: { tensorParallelSize: 4 },
          runtimeArgsOverride: ["--quantization", value],
          environmentOverride: { NCCL_DEBUG: value, AGE: "7" },
        },
      },
    });
    const template = { supportedModelFormats: [entry("Other", "wrong"), entry("Llama", "fp8")] };
    const traits = {
      modelFormat: { name: "safetensors" },
      modelFramework: { name: "transformers" },
      modelArchitecture: "Llama",
    };
    const container: api.Container = {
      name: "ome-container",
      args: ["--tp-size=8"],
      env: [{ name: "NCCL_DEBUG", value: "INFO" }],
    };
    const input = { component: "engine" as const, template, model: { traits } };
    const applied = (one: InferenceService) =>
      applyClass(container, { ...input, service: one, accelerator: chosen(one) });
    assert.deepEqual(applied(service(own)), {
      name: "ome-container",
      args: ["--tp-size=4", "--quantization", "fp8"],
      env: [
        { name: "NCCL_DEBUG", value: "fp8" },
        { name: "AGE", value: "7" },
      ],
    });
    assert.equal(applied(service(selector)), container);
    assert.equal(applied(service({})), container);
  });
});
