import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SafetensorsHeader, TensorShare } from "@trivium/domain";
import type { Json } from "@trivium/std";
import fc from "fast-check";
import { formatParameterCount, parseAdapter, parseModelFacts, parsePipeline } from "./index.ts";
import { parseModelJson } from "./json-text.ts";
import { parseGeneration, parseTokenizer } from "./side-files.ts";

const llama3 = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  transformers_version: "4.40.0",
  torch_dtype: "bfloat16",
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  intermediate_size: 14_336,
  max_position_embeddings: 8192,
  vocab_size: 128_256,
  tie_word_embeddings: false,
};

function stored(byRole: Record<string, TensorShare>): SafetensorsHeader {
  const elements = Object.values(byRole).reduce((sum, each) => sum + each.elements, 0);
  const tensors = {
    count: 1,
    elements,
    bytes: 1,
    byType: {},
    byRole,
    blockBytes: [],
    embeddingBytes: 0,
    outputBytes: 0,
    restBytes: 0,
  };
  return { format: "safetensors", files: 1, metadata: {}, warnings: [], tensors };
}
const share = (elements: number): TensorShare => ({ tensors: 1, elements, bytes: elements });

describe("the facts of a repository", () => {
  test("are those of its configuration", () => {
    assert.deepEqual(parseModelFacts({ config: llama3 }), {
      type: "llama",
      architecture: "LlamaForCausalLM",
      framework: { name: "transformers", version: "4.40.0" },
      format: { name: "safetensors", version: "1.0.0" },
      capabilities: ["TEXT_TO_TEXT"],
      hasVision: false,
      maxTokens: 8192,
      elementType: "bfloat16",
      parameters: { count: 8_030_261_248, from: "formula" },
      shape: {
        layers: 32,
        hiddenSize: 4096,
        heads: 32,
        attention: [{ kind: "full", layers: 32, kvHeads: 8, keyLength: 128, valueLength: 128 }],
        contextLength: 8192,
        vocabularySize: 128_256,
        intermediateSize: 14_336,
        sharesEmbeddings: false,
      },
      warnings: [],
    });
  });

  test("come from the pipeline where there is one", () => {
    const facts = parseModelFacts({
      config: llama3,
      modelIndex: { _class_name: "StableDiffusionXLPipeline", _diffusers_version: "0.30.0" },
    });
    assert.deepEqual(facts.framework, { name: "diffusers", version: "0.30.0" });
    assert.deepEqual(facts.format, { name: "diffusers" });
    assert.deepEqual(facts.capabilities, ["TEXT_TO_IMAGE"]);
    assert.equal(facts.type, undefined);
  });

  test("are there whatever the files contain", () => {
    const clue = fc.constantFrom(
      ...Object.keys(llama3),
      "text_config",
      "layer_types",
      "sliding_window",
      "quantization_config",
      "config_groups",
      "num_experts",
      "kv_lora_rank",
      "qk_rope_head_dim",
      "__proto__",
    );
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(null),
        fc.boolean(),
        fc.double(),
        fc.nat(200),
        fc.string({ maxLength: 8 }),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(clue, tie("value"), { maxKeys: 8 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, json, (config, other) => {
        JSON.stringify(parseModelFacts({ config }));
        JSON.stringify(parseModelFacts({ modelIndex: other, config }));
        JSON.stringify([parseAdapter(config), parseTokenizer(config), parseGeneration(config), parsePipeline(config)]);
      }),
      { numRuns: 800 },
    );
  });
});

describe("parameters", () => {
  const sizes: readonly (readonly [string, object, string, string])[] = [
    ["Llama 3 8B", llama3, "8.03B", "formula"],
    ["Llama 3 70B", { ...llama3, hidden_size: 8192, num_hidden_layers: 80 }, "70B", "table"],
    ["Qwen 2.5 7B", { model_type: "qwen2", hidden_size: 3584, num_hidden_layers: 28 }, "7B", "table"],
    [
      "Mixtral 8x7B",
      { model_type: "mixtral", hidden_size: 4096, num_hidden_layers: 32, num_local_experts: 8 },
      "46.7B",
      "table",
    ],
    ["DeepSeek V3", { model_type: "deepseek_v3", hidden_size: 7168, num_hidden_layers: 61 }, "685B", "table"],
    ["Kimi K2", { model_type: "kimi_k2", hidden_size: 7168, num_hidden_layers: 61 }, "1.5T", "table"],
    [
      "gpt-oss 20B",
      { model_type: "gpt_oss", hidden_size: 2880, num_hidden_layers: 24, num_local_experts: 32 },
      "20B",
      "table",
    ],
    [
      "Llama 4 Maverick",
      { model_type: "llama4", text_config: { hidden_size: 5120, num_hidden_layers: 48, num_local_experts: 128 } },
      "402B",
      "table",
    ],
    ["BERT base", { model_type: "bert", hidden_size: 768, num_hidden_layers: 12 }, "110M", "table"],
  ];
  for (const [name, config, size, from] of sizes) {
    test(`of ${name} are ${size}`, () => {
      const { parameters } = parseModelFacts({ config: config as Json });
      assert.equal(parameters === undefined ? undefined : formatParameterCount(parameters.count), size);
      assert.equal(parameters?.from, from);
    });
  }

  const packed: readonly (readonly [string, Json, Record<string, TensorShare>, number])[] = [
    ["plain", {}, { "weight BF16": share(100) }, 100],
    ["fp8", { quant_method: "fp8" }, { "weight F8_E4M3": share(100), "weight_scale_inv F32": share(3) }, 100],
    [
      "gptq",
      { quant_method: "gptq", bits: 4 },
      {
        "qweight I32": share(100),
        "qzeros I32": share(9),
        "scales F16": share(9),
        "g_idx I32": share(9),
        "weight F16": share(5),
      },
      805,
    ],
    [
      "awq",
      { quant_method: "awq", bits: 4 },
      { "qweight I32": share(10), "qzeros I32": share(1), "scales F16": share(1) },
      80,
    ],
    [
      "mxfp4",
      { quant_method: "mxfp4" },
      { "gate_up_proj_blocks U8": share(10), "gate_up_proj_scales U8": share(1) },
      20,
    ],
    [
      "bitsandbytes",
      { quant_method: "bitsandbytes", load_in_4bit: true },
      { "weight U8": share(10), "absmax F32": share(1), "quant_map F32": share(16), "bitsandbytes__nf4 U8": share(7) },
      20,
    ],
    [
      "compressed tensors",
      { quant_method: "compressed-tensors", config_groups: { group_0: { weights: { num_bits: 4 } } } },
      { "weight_packed I32": share(10), "weight_scale BF16": share(1), "weight_shape I64": share(2) },
      80,
    ],
  ];
  for (const [name, quantization, roles, count] of packed) {
    test(`are counted one by one where they are stored as ${name}`, () => {
      const facts = parseModelFacts({
        config: { ...llama3, quantization_config: quantization },
        header: stored(roles),
      });
      assert.deepEqual(facts.parameters, { count, from: "tensors" });
    });
  }

  test("are written with at most two decimals", () => {
    const written = [0, 999, 1000, 1500, 110e6, 7_615_616_512, 8e9, 46.7e9, 999_999_999, 1.5e12].map(
      formatParameterCount,
    );
    assert.deepEqual(written, ["0", "999", "1K", "1.5K", "110M", "7.62B", "8B", "46.7B", "1B", "1.5T"]);
  });
});

describe("quantization", () => {
  const cases: readonly (readonly [Json, object | undefined])[] = [
    [{ quant_method: "fp8" }, { method: "fp8", bits: 8, word: "fp8" }],
    [{ quant_method: "fbgemm_fp8" }, { method: "fbgemm_fp8", bits: 8, word: "fp8" }],
    [
      { quant_method: "awq", bits: 4 },
      { method: "awq", bits: 4 },
    ],
    [
      { quant_method: "gptq", bits: 8 },
      { method: "gptq", bits: 8 },
    ],
    [
      { quant_method: "modelopt", quant_algo: "NVFP4" },
      { method: "modelopt", bits: 4 },
    ],
    [
      { quant_method: "bitsandbytes", load_in_8bit: true },
      { method: "bitsandbytes", bits: 8 },
    ],
    [{ quant_method: "auto-round-int4" }, { method: "auto-round-int4", word: "int4" }],
    [{ quant_method: 7 }, undefined],
    ["fp8", undefined],
  ];
  for (const [settings, expected] of cases) {
    test(`from ${JSON.stringify(settings)}`, () => {
      assert.deepEqual(
        parseModelFacts({ config: { ...llama3, quantization_config: settings } }).quantization,
        expected,
      );
    });
  }
});

describe("capabilities", () => {
  const of = (config: Json, extra: object = {}) => parseModelFacts({ config, ...extra }).capabilities;
  const pipeline = (name: string) => parseModelFacts({ modelIndex: { _class_name: name } }).capabilities;

  test("of models", () => {
    assert.deepEqual(
      of({ model_type: "qwen2_vl", architectures: ["Qwen2VLForConditionalGeneration"], vision_config: {} }),
      ["IMAGE_TEXT_TO_TEXT"],
    );
    assert.deepEqual(of({ model_type: "whisper", architectures: ["WhisperForConditionalGeneration"] }), [
      "AUDIO_TO_TEXT",
    ]);
    assert.deepEqual(of({ model_type: "x", architectures: ["Wav2Vec2BertForCTC"] }), ["AUDIO_TO_TEXT"]);
    assert.deepEqual(of({ model_type: "bert", architectures: ["BertModel"] }), ["EMBEDDING"]);
    assert.deepEqual(of({ model_type: "mistral", architectures: ["MistralModel"] }), ["EMBEDDING"]);
    assert.deepEqual(of({ model_type: "mistral", architectures: ["MistralForCausalLM"] }), ["TEXT_TO_TEXT"]);
    assert.deepEqual(of(llama3, { isSentenceEncoder: true }), ["EMBEDDING"]);
    assert.deepEqual(of({ model_type: "NemotronH_Nano_VL_V2" }), [
      "IMAGE_TEXT_TO_TEXT",
      "TEXT_TO_TEXT",
      "AUDIO_TO_TEXT",
    ]);
    assert.equal(of({ model_type: "x", architectures: ["QwenOmniModel"] }).length, 5);
  });

  test("of pipelines", () => {
    assert.deepEqual(pipeline("QwenImageEditPipeline"), ["IMAGE_TEXT_TO_IMAGE"]);
    assert.deepEqual(pipeline("StableDiffusionInpaintPipeline"), ["IMAGE_TEXT_TO_IMAGE"]);
    assert.deepEqual(pipeline("QwenImagePipeline"), ["TEXT_TO_IMAGE"]);
    assert.deepEqual(pipeline("TextToVideoSDPipeline"), ["TEXT_TO_VIDEO"]);
    assert.deepEqual(pipeline("StableVideoDiffusionPipeline"), ["IMAGE_TEXT_TO_VIDEO"]);
    assert.deepEqual(pipeline("FluxPipeline"), ["TEXT_TO_IMAGE"]);
  });
});

describe("attention", () => {
  const groups = (config: object) =>
    parseModelFacts({ config: { ...llama3, ...config } as Json }).shape?.attention.map(
      ({ kind, layers }) => `${layers} ${kind}`,
    );

  test("is full, windowed, compressed, or none, layer by layer", () => {
    assert.deepEqual(groups({ sliding_window: 4096 }), ["32 window"]);
    assert.deepEqual(groups({ sliding_window: 4096, use_sliding_window: false }), ["32 full"]);
    assert.deepEqual(groups({ sliding_window: 4096, use_sliding_window: true, max_window_layers: 20 }), [
      "20 full",
      "12 window",
    ]);
    assert.deepEqual(groups({ sliding_window: 128, sliding_window_pattern: 4 }), ["24 window", "8 full"]);
    assert.deepEqual(groups({ model_type: "gemma2", sliding_window: 4096 }), ["16 window", "16 full"]);
    const types = Array.from({ length: 32 }, (_, at) => (at % 2 === 0 ? "sliding_attention" : "full_attention"));
    assert.deepEqual(groups({ sliding_window: 128, layer_types: types }), ["16 window", "16 full"]);
    assert.deepEqual(groups({ kv_lora_rank: 512, qk_rope_head_dim: 64 }), ["32 latent"]);
    assert.deepEqual(groups({ full_attention_interval: 4, linear_num_value_heads: 32 }), ["24 recurrent", "8 full"]);
    assert.deepEqual(groups({ attn_layer_period: 8, attn_layer_offset: 4 }), ["28 recurrent", "4 full"]);
  });

  test("of a model with several parts is that of its text part, and so is its context", () => {
    const { shape, maxTokens } = parseModelFacts({
      config: {
        model_type: "gemma3",
        vision_config: {},
        text_config: { ...llama3, head_dim: 256, max_position_embeddings: 131_072 },
      },
    });
    assert.deepEqual(shape?.attention, [{ kind: "full", layers: 32, kvHeads: 8, keyLength: 256, valueLength: 256 }]);
    assert.equal(maxTokens, 131_072);
  });
});

describe("files beside the model", () => {
  test("adapters, tokenizers, sampling, pipelines", () => {
    assert.deepEqual(
      parseAdapter({
        peft_type: "LORA",
        r: 16,
        target_modules: ["q_proj", 7],
        base_model_name_or_path: "org/base",
        task_type: "CAUSAL_LM",
      }),
      {
        kind: "lora",
        rank: 16,
        targets: ["q_proj"],
        baseModel: "org/base",
        task: "CAUSAL_LM",
      },
    );
    assert.equal(parseAdapter({ r: 16 }), undefined);
    assert.deepEqual(parseTokenizer({ tokenizer_class: "T", chat_template: "{{x}}", model_max_length: 1e30 }), {
      kind: "T",
      hasChatTemplate: true,
    });
    assert.deepEqual(parseTokenizer(undefined, true), { hasChatTemplate: true });
    assert.deepEqual(parseGeneration({ temperature: 0.6, top_p: 0.9, top_k: 20, max_new_tokens: 1e99 }), {
      temperature: 0.6,
      topP: 0.9,
      topK: 20,
    });
    assert.deepEqual(parsePipeline({ _class_name: "P", vae: ["diffusers", "AutoencoderKL"], odd: 7 }), {
      className: "P",
      components: { vae: { library: "diffusers", type: "AutoencoderKL" } },
    });
  });

  test("JSON as Python writes it is read, texts untouched", () => {
    assert.deepEqual(parseModelJson('\ufeff{"a": NaN, "b": -Infinity, "c": "NaN Infinity", "d": [Infinity]}'), {
      a: null,
      b: null,
      c: "NaN Infinity",
      d: [null],
    });
    assert.equal(parseModelJson("{"), undefined);
  });
});
