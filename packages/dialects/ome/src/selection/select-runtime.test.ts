import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Candidate, RuntimeScope } from "./candidate.ts";
import { checkNamedRuntime, type SelectionRequest, selectRuntime } from "./select-runtime.ts";
import { describeTraits, type ModelTraits, type RuntimeSpec, type SupportedFormat } from "./traits.ts";
import { weighRuntime } from "./weigh-runtime.ts";

type Entry = Partial<SupportedFormat>;
const entry = (name: string, more: Entry = {}): SupportedFormat =>
  ({ modelFormat: { name, weight: 10 }, autoSelect: true, ...more }) as SupportedFormat;
const runtime = (
  name: string,
  formats: readonly SupportedFormat[],
  more: Partial<RuntimeSpec> & { scope?: RuntimeScope } = {},
): Candidate => {
  const { scope = "namespace", ...spec } = more;
  return { name, scope, spec: { supportedModelFormats: [...formats], ...spec } };
};
const request = (traits: ModelTraits, candidates: readonly Candidate[], more: Partial<SelectionRequest> = {}) => ({
  model: { name: "m", traits },
  namespace: "team",
  candidates,
  acceleratorClasses: [],
  ...more,
});
/** All compatible runtimes, best first: the best, then the best of the rest, and so on. */
function ranked(traits: ModelTraits, candidates: readonly Candidate[], more: Partial<SelectionRequest> = {}) {
  const order: [string, number][] = [];
  for (let rest = candidates; ; ) {
    const selection = selectRuntime(request(traits, rest, more));
    if (selection.is === "failed") return order;
    const { runtime } = selection;
    order.push([runtime.name, weighRuntime(runtime, traits).score]);
    rest = rest.filter((one) => one !== runtime);
  }
}
const candidateOf = (traits: ModelTraits, candidate: Candidate, more: Partial<SelectionRequest> = {}) =>
  selectRuntime(request(traits, [candidate], more)).choice.candidates[0];
const weighing = (name: string, weight: number, more: Entry = {}) =>
  entry(name, { ...more, modelFormat: { name, weight } });

const candidates: readonly Candidate[] = [
  runtime("pytorch-rt", [weighing("pytorch", 10, { priority: 2 })], { modelSizeRange: { min: "1B", max: "10B" } }),
  runtime("multi-format-rt", [weighing("pytorch", 5), weighing("onnx", 5)], {
    modelSizeRange: { min: "1B", max: "20B" },
  }),
  runtime("onnx-rt", [weighing("onnx", 8)], { modelSizeRange: { min: "10B", max: "20B" } }),
  runtime("tensorflow-rt", [weighing("tensorflow", 12)], { modelSizeRange: { min: "50B", max: "100B" } }),
  runtime("cluster-pytorch-rt", [weighing("pytorch", 7)], {
    scope: "cluster",
    modelSizeRange: { min: "5B", max: "15B" },
  }),
];
const model = (name: string, more: Partial<ModelTraits> = {}): ModelTraits => ({ modelFormat: { name }, ...more });

describe("order", () => {
  test("R1: the namespace before the cluster, whatever the score", () => {
    assert.deepEqual(ranked(model("pytorch", { modelParameterSize: "7B" }), candidates), [
      ["pytorch-rt", 20],
      ["multi-format-rt", 5],
      ["cluster-pytorch-rt", 7],
    ]);
  });
  test("R2, R3", () => {
    assert.deepEqual(ranked(model("onnx", { modelParameterSize: "13B" }), candidates), [
      ["onnx-rt", 8],
      ["multi-format-rt", 5],
    ]);
    assert.deepEqual(ranked(model("tensorflow", { modelParameterSize: "70B" }), candidates), [["tensorflow-rt", 12]]);
  });
  test("R4: nothing fits, and every one says why", () => {
    const selection = selectRuntime(request(model("pytorch", { modelParameterSize: "200B" }), candidates));
    assert.equal(selection.is, "failed");
    if (selection.is !== "failed") return;
    assert.equal(selection.fault, "NoRuntimeFound");
    assert.match(selection.message, /checked 4 in namespace team and 1 in the cluster/);
    assert.match(selection.message, /pytorch-rt \(model size 200B is outside \[1B, 10B\]\)/);
    assert.match(selection.message, /; widen spec.modelSizeRange of ServingRuntime multi-format-rt to include 200B/);
    assert.equal(selection.choice.candidates.length, 5);
    assert.equal(selection.choice.chosen, undefined);
    assert.deepEqual(
      selection.choice.candidates.find(({ name }) => name === "onnx-rt")?.failed.map(({ gate }) => gate),
      ["format", "size"],
    );
  });
  test("what was chosen says what each of the others lacks", () => {
    const { message } = selectRuntime(request(model("pytorch", { modelParameterSize: "7B" }), candidates));
    assert.match(
      message,
      /^Selected ServingRuntime pytorch-rt: the best of 3 compatible runtimes \(score 20\)\. Other runtimes: /,
    );
    assert.match(message, /multi-format-rt \(compatible, namespace-scoped, score 5\)/);
    assert.match(message, /onnx-rt \(format name: .*, and model size 7B is outside \[10B, 20B\]\) and 1 more$/);
  });
  test("of very many the nearest misses are told, and how many more there are", () => {
    const many = Array.from({ length: 200 }, (_, at) => runtime(`r${at}`, [entry("onnx")]));
    const near = runtime("near", [entry("pytorch")], { disabled: true });
    const { message, choice } = selectRuntime(request(model("pytorch"), [...many, near]));
    assert.match(
      message,
      /checked 201 in .*: near \(the runtime is disabled\), r0 \(.* and 198 more; set spec.disabled/,
    );
    assert.ok(message.length < 600);
    assert.equal(choice.candidates.length, 201);
  });
  test("R22: of equal scores the closer range; R32: a range before none; R33: open ends", () => {
    const of = (name: string, range?: RuntimeSpec["modelSizeRange"]) =>
      runtime(name, [entry("pytorch")], range === undefined ? {} : { modelSizeRange: range });
    const names = ranked(model("pytorch", { modelParameterSize: "7B" }), [
      of("a-open"),
      of("b-wide", { min: "1B", max: "20B" }),
      of("c-close", { min: "6B", max: "8B" }),
      of("d-half", { min: "6B" }),
    ]).map(([name]) => name);
    assert.deepEqual(names, ["c-close", "b-wide", "a-open", "d-half"]);
  });
  test("R23: of equals the namespaced one, then by name", () => {
    const twins = [
      runtime("x", [entry("pytorch")], { scope: "cluster" }),
      runtime("z", [entry("pytorch")]),
      runtime("y", [entry("pytorch")]),
    ];
    assert.deepEqual(
      ranked(model("pytorch"), twins).map(([name]) => name),
      ["y", "z", "x"],
    );
  });
  test("any order of candidates gives the same answer", () => {
    const traits = model("pytorch", { modelParameterSize: "7B" });
    const expected = selectRuntime(request(traits, candidates));
    fc.assert(
      fc.property(fc.shuffledSubarray([...candidates], { minLength: candidates.length }), (shuffled) => {
        assert.deepEqual(selectRuntime(request(traits, shuffled)), expected);
      }),
    );
  });
});

describe("score", () => {
  const score = (traits: ModelTraits, ...formats: SupportedFormat[]) =>
    weighRuntime(runtime("rt", formats), traits).score;
  const both = model("pytorch", { modelFramework: { name: "transformers" } });
  const framed = (weight: number, more: Entry = {}) =>
    entry("pytorch", { modelFramework: { name: "transformers", weight }, ...more });
  test("R6 to R10", () => {
    assert.equal(score(both, framed(5, { priority: 3 })), 45);
    assert.equal(score(both, entry("pytorch", { modelFramework: { name: "other" } })), 0);
    assert.equal(score(model("pytorch"), framed(5)), 0);
    assert.equal(score(both, framed(8, { priority: 2 }), framed(1)), 36);
    assert.equal(score(model("tensorflow"), weighing("tensorflow", 12)), 12);
    assert.equal(score(both, framed(5, { autoSelect: false })), 0);
  });
  test("a weight of 0 counts 10 and 5, one left out has the schema's default", () => {
    const zero = entry("pytorch", {
      modelFormat: { name: "pytorch", weight: 0 },
      modelFramework: { name: "transformers", weight: 0 },
    });
    assert.equal(score(both, zero), 15);
    const left = entry("pytorch", {
      modelFormat: { name: "pytorch" },
      modelFramework: { name: "transformers" },
      priority: 4,
    });
    assert.equal(score(both, left), 8);
  });
  test("R31: only by an entry that matches", () => {
    const entries = [
      weighing("safetensors", 10, { modelArchitecture: "LlamaForCausalLM", priority: 9 }),
      weighing("safetensors", 1, { modelArchitecture: "MistralForCausalLM" }),
    ];
    assert.equal(score(model("safetensors", { modelArchitecture: "MistralForCausalLM" }), ...entries), 1);
  });
});

describe("gates", () => {
  const gates = (traits: ModelTraits, candidate: Candidate, more: Partial<SelectionRequest> = {}) =>
    candidateOf(traits, candidate, more)?.failed.map(({ gate }) => gate);
  const why = (traits: ModelTraits, candidate: Candidate) => candidateOf(traits, candidate)?.failed[0]?.actual;

  test("R5: disabled, and closed to choice", () => {
    assert.deepEqual(gates(model("onnx"), runtime("rt", [entry("onnx")], { disabled: true })), ["enabled"]);
    const closed = runtime("rt", [entry("onnx", { autoSelect: false })]);
    assert.deepEqual(gates(model("onnx"), closed), ["autoSelect"]);
    assert.equal(checkNamedRuntime({ name: "rt", scope: "any" }, request(model("onnx"), [closed])).is, "selected");
    const unsaid = runtime("rt", [{ modelFormat: { name: "onnx" }, modelFramework: { name: "x" } }]);
    assert.deepEqual(gates(model("onnx", { modelFramework: { name: "x" } }), unsaid), ["autoSelect"]);
  });
  test("R12: no size on either side passes, with a word", () => {
    const ranged = runtime("rt", [entry("onnx")], { modelSizeRange: { min: "1B", max: "2B" } });
    const selection = selectRuntime(request(model("onnx"), [ranged]));
    assert.ok(selection.is === "selected");
    assert.match(selection.warnings[0] ?? "", /size of the model is unknown/);
    assert.deepEqual(gates(model("onnx", { modelParameterSize: "900B" }), runtime("rt", [entry("onnx")])), []);
  });
  test("R13: the size and the range are named", () => {
    const ranged = runtime("rt", [entry("onnx")], { modelSizeRange: { min: "1B", max: "2B" } });
    const { choice, message } = selectRuntime(request(model("onnx", { modelParameterSize: "3B" }), [ranged]));
    assert.deepEqual(choice.candidates, [
      {
        name: "rt",
        scope: "namespace",
        is: "rejected",
        failed: [{ gate: "size", reason: "SizeOutOfRange", required: "3B", actual: "[1B, 2B]" }],
        change: "widen spec.modelSizeRange of ServingRuntime rt to include 3B",
      },
    ]);
    assert.match(message, /model size 3B is outside \[1B, 2B\]/);
  });
  test("R14, R15: architecture and quantization on one side, or different", () => {
    const llama = runtime("rt", [entry("onnx", { modelArchitecture: "Llama" })]);
    assert.equal(why(model("onnx"), llama), "architecture Llama");
    const { message } = selectRuntime(request(model("onnx"), [llama]));
    assert.match(message, /architecture: the model has none, the runtime requires Llama/);
    const plain = runtime("rt", [entry("onnx")]);
    assert.equal(why(model("onnx", { modelArchitecture: "Llama" }), plain), "architecture none");
    const unnamed = selectRuntime(request(model("onnx", { modelArchitecture: "Llama" }), [plain]));
    assert.match(unnamed.message, /architecture: the model has Llama, the runtime names none/);
    const fp8 = runtime("rt", [entry("onnx", { quantization: "fp8" })]);
    assert.equal(why(model("onnx", { quantization: "int4" }), fp8), "quantization fp8");
    assert.deepEqual(gates(model("onnx"), fp8), ["format"]);
    assert.deepEqual(gates(model("onnx", { quantization: "fp8" }), fp8), []);
  });
  test("versions of format and framework: both, neither, or no match", () => {
    const versioned = runtime("rt", [
      entry("onnx", { modelFormat: { name: "onnx", version: "1.8.0", operator: "GreaterThanOrEqual" } }),
    ]);
    assert.deepEqual(gates({ modelFormat: { name: "onnx", version: "1.7.0" } }, versioned), []);
    assert.equal(why(model("onnx"), versioned), "format version at most 1.8.0");
    assert.equal(
      why({ modelFormat: { name: "onnx", version: "1" } }, runtime("rt", [entry("onnx")])),
      "format version none",
    );
    assert.deepEqual(gates(model("ONNX"), runtime("rt", [entry("onnx")])), ["format"]);
  });
  test("R27: no formats at all", () => {
    assert.match(why(model("onnx"), runtime("rt", [])) ?? "", /no supported formats defined/);
  });
  test("R28: two mismatches by comma, two entries by semicolon, further gates as well", () => {
    const candidate = runtime("rt", [entry("onnx", { quantization: "fp8" }), entry("tensorrt")], {
      disabled: true,
      modelSizeRange: { max: "1B" },
    });
    const report = candidateOf(model("pytorch", { modelParameterSize: "7B" }), candidate);
    assert.deepEqual(
      report?.failed.map(({ gate }) => gate),
      ["enabled", "format", "size"],
    );
    assert.match(report?.failed[1]?.actual ?? "", /^quantization fp8, format name onnx; format name tensorrt$/);
  });
  test("R29: accelerator classes must all be listed", () => {
    const listed = runtime("rt", [entry("onnx")], {
      acceleratorRequirements: { acceleratorClasses: ["h100", "a100"] },
    });
    const plain = runtime("rt", [entry("onnx")]);
    assert.deepEqual(gates(model("onnx"), listed, { acceleratorClasses: ["h100"] }), []);
    assert.deepEqual(gates(model("onnx"), listed, { acceleratorClasses: ["h100", "mi300"] }), ["accelerator"]);
    assert.deepEqual(gates(model("onnx"), plain, { acceleratorClasses: ["h100"] }), ["accelerator"]);
    assert.deepEqual(gates(model("onnx"), plain), []);
  });
  test("R30: diffusion pipelines", () => {
    const flux = { className: "FluxPipeline", vae: { library: "diffusers", type: "AutoencoderKL" } };
    const drawn = model("diffusers", { diffusionPipeline: flux });
    const of = (diffusionPipeline?: ModelTraits["diffusionPipeline"]) =>
      runtime("rt", [entry("diffusers", diffusionPipeline === undefined ? {} : { diffusionPipeline })]);
    assert.deepEqual(gates(drawn, of(flux)), []);
    assert.deepEqual(gates(drawn, of({ vae: { library: "diffusers" } })), []);
    assert.deepEqual(gates(drawn, of()), []);
    assert.deepEqual(gates(drawn, of({ className: "Other" })), ["format"]);
    assert.deepEqual(gates(drawn, of({ vae: { type: "Other" } })), ["format"]);
    assert.deepEqual(gates(drawn, of({ additionalComponents: { guide: { library: "x" } } })), ["format"]);
    assert.deepEqual(gates(model("diffusers"), of(flux)), ["format"]);
  });
  test("a protocol chooses only where a runtime knows its word", () => {
    const spoken = runtime("a", [entry("onnx")], { protocolVersions: ["openAI"] });
    const silent = runtime("b", [entry("onnx")]);
    const compatible = (protocol: string) =>
      selectRuntime(request(model("onnx"), [spoken, silent], { protocol }))
        .choice.candidates.filter(({ is }) => is !== "rejected")
        .map(({ name }) => name);
    assert.deepEqual(compatible("openAI"), ["a"]);
    assert.deepEqual(compatible("v2"), ["a", "b"]);
  });
});

describe("errors", () => {
  test("R24: a model without a format", () => {
    for (const traits of [{}, model("")]) {
      const selection = selectRuntime(request(traits, candidates));
      assert.ok(selection.is === "failed" && selection.fault === "ModelInvalid");
    }
  });
  test("R25: what a model is, in words", () => {
    const traits: ModelTraits = {
      modelFormat: { name: "pytorch", version: "1.0.0" },
      modelArchitecture: "transformer",
      quantization: "fp16",
      modelFramework: { name: "transformers", version: "4.0.0" },
    };
    assert.equal(
      describeTraits(traits),
      "pytorch 1.0.0, architecture transformer, quantization fp16, framework transformers 4.0.0",
    );
  });
  test("R26: a named runtime that is missing, disabled, or does not fit", () => {
    const all = [
      runtime("off", [entry("onnx")], { disabled: true, scope: "cluster" }),
      runtime("other", [entry("pytorch")]),
    ];
    const fault = (name: string) => {
      const selection = checkNamedRuntime({ name, scope: "any" }, request(model("onnx"), all));
      return selection.is === "failed" ? [selection.fault, selection.message] : [];
    };
    assert.equal(fault("none")[0], "RuntimeNotFound");
    assert.match(fault("none")[1] ?? "", /Runtime none not found in namespace team/);
    assert.equal(fault("off")[0], "RuntimeDisabled");
    assert.match(fault("off")[1] ?? "", /ClusterServingRuntime off/);
    assert.equal(fault("other")[0], "RuntimeIncompatible");
    assert.match(
      fault("other")[1] ?? "",
      /ServingRuntime other does not support model m: format name: the model has onnx, the runtime requires pytorch; /,
    );
  });
  test("two runtimes of one name are told apart", () => {
    const twins = [
      runtime("same", [entry("onnx")], { scope: "cluster" }),
      runtime("same", [entry("onnx")], { disabled: true }),
    ];
    const selection = selectRuntime(request(model("onnx"), twins));
    assert.ok(selection.is === "selected" && selection.runtime.scope === "cluster");
    const named = checkNamedRuntime({ name: "same", scope: "any" }, request(model("onnx"), twins));
    assert.ok(named.is === "failed" && named.fault === "RuntimeDisabled");
  });
});

describe("smallest change", () => {
  const changeFor = (candidate: Candidate, traits = model("onnx", { modelParameterSize: "7B" })) =>
    candidateOf(traits, candidate, { acceleratorClasses: [] })?.change;
  test("each gate names the field that would let the runtime pass", () => {
    assert.equal(
      changeFor(runtime("rt", [entry("onnx")], { disabled: true })),
      "set spec.disabled: false in ServingRuntime rt",
    );
    assert.equal(
      changeFor(runtime("rt", [entry("onnx", { autoSelect: false })])),
      "set spec.runtime.name: rt in the InferenceService",
    );
    assert.equal(
      changeFor(runtime("rt", [entry("onnx", { priority: 0 })])),
      "set a priority greater than 0 in spec.supportedModelFormats of ServingRuntime rt",
    );
    assert.match(
      changeFor(runtime("rt", [entry("onnx", { quantization: "fp8" })], { scope: "cluster" })) ?? "",
      /^add an entry for onnx to spec.supportedModelFormats of ClusterServingRuntime rt$/,
    );
    const framework = { name: "transformers" };
    assert.equal(
      changeFor(runtime("rt", [entry("onnx", { modelFramework: framework })])),
      "set spec.modelFramework.name: transformers in the model",
    );
  });
  test("a runtime for another format has none, and neither has one that lacks too much", () => {
    assert.equal(changeFor(runtime("rt", [entry("pytorch")])), undefined);
    const far = runtime("rt", [entry("onnx", { quantization: "fp8" })], {
      disabled: true,
      modelSizeRange: { max: "1B" },
    });
    assert.equal(changeFor(far), undefined);
  });
});

describe("what runs", () => {
  const old = runtime("old", [weighing("onnx", 1)]);
  const better = runtime("better", [weighing("onnx", 9)]);
  const current = { name: "old", scope: "namespace" } as const;
  test("stays while it can, and says what would be chosen now", () => {
    const selection = selectRuntime(request(model("onnx"), [old, better], { current }));
    assert.ok(selection.is === "selected" && selection.runtime === old);
    assert.match(selection.message, /already in use; a new service would use ServingRuntime better/);
  });
  test("is replaced once it cannot", () => {
    const disabled = runtime("old", [weighing("onnx", 1)], { disabled: true });
    const selection = selectRuntime(request(model("onnx"), [disabled, better], { current }));
    assert.ok(selection.is === "selected" && selection.runtime === better);
  });
});
