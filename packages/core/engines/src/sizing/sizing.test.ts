import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AttentionGroup, CacheType, ModelShape, SizingAnswer } from "@trivium/domain";
import fc from "fast-check";
import { bytesPerToken, tokensKept } from "./cache.ts";
import { formatMemory, planDeviceLayers, planMemory, type SizingRequest, servingStyles } from "./index.ts";
import { planMemoryBudget } from "./memory-budget.ts";
import { planAlternatives } from "./plan-alternatives.ts";
import { summarizeMemory } from "./summarize-memory.ts";

const gibibyte = 1024 ** 3;
const full = (layers: number, kvHeads: number, length: number): AttentionGroup => ({
  kind: "full",
  layers,
  kvHeads,
  keyLength: length,
  valueLength: length,
});
const perToken = (group: AttentionGroup, type: CacheType = "f16") => bytesPerToken(group, { key: type, value: type });

const llama3: ModelShape = {
  layers: 32,
  hiddenSize: 4096,
  heads: 32,
  attention: [full(32, 8, 128)],
  vocabularySize: 128_256,
  intermediateSize: 14_336,
  contextLength: 8192,
};

function request(extra: Partial<SizingRequest> = {}): SizingRequest {
  return {
    model: { weightBytes: 16_060_522_496, parameters: 8_030_261_248, shape: llama3 },
    context: 8192,
    slots: 1,
    cache: { key: "f16", value: "f16" },
    split: { tensor: 1, pipeline: 1 },
    style: servingStyles.paged,
    memory: { devices: [{ name: "gpu", bytes: 24 * gibibyte }] },
    ...extra,
  };
}

function sized(answer: SizingAnswer): Extract<SizingAnswer, { is: "sized" }> {
  assert.equal(answer.is, "sized", JSON.stringify(answer));
  return answer as Extract<SizingAnswer, { is: "sized" }>;
}
const term = (answer: SizingAnswer, what: string, place = "device") =>
  sized(answer)
    .shares.filter((share) => share.place === place)
    .flatMap(({ terms }) => terms)
    .filter((each) => each.what === what)
    .reduce((sum, { bytes }) => sum + bytes, 0);

describe("the cache for one token", () => {
  const known: readonly (readonly [string, AttentionGroup, CacheType, number])[] = [
    ["Llama 3 8B", full(32, 8, 128), "f16", 128 * 1024],
    ["Llama 3 70B", full(80, 8, 128), "f16", 320 * 1024],
    ["Llama 2 7B", full(32, 32, 128), "f16", 512 * 1024],
    ["Qwen 2.5 7B", full(28, 4, 128), "f16", 56 * 1024],
    ["Llama 3 8B as q8_0", full(32, 8, 128), "q8_0", 68 * 1024],
    ["Llama 3 8B as q4_0", full(32, 8, 128), "q4_0", 36 * 1024],
    ["Llama 3 8B as fp8", full(32, 8, 128), "fp8", 64 * 1024],
    ["DeepSeek V3", { kind: "latent", layers: 61, length: 576 }, "f16", 576 * 61 * 2],
    ["a state", { kind: "recurrent", layers: 61, elements: 576 }, "f16", 0],
  ];
  for (const [name, group, type, bytes] of known) {
    test(`of ${name} takes ${bytes} B`, () => assert.equal(perToken(group, type), bytes));
  }

  test("is kept for a window only, with what an engine adds", () => {
    const mistral: AttentionGroup = { ...full(32, 8, 128), kind: "window", window: 4096 } as AttentionGroup;
    assert.equal(tokensKept(mistral, 32_768, servingStyles.thumb), 4096);
    assert.equal(tokensKept(mistral, 2048, servingStyles.thumb), 2048);
    assert.equal(tokensKept(mistral, 32_768, servingStyles.llamacpp), 4608);
    assert.equal(tokensKept(mistral, 1000, servingStyles.llamacpp), 1024);
  });
});

describe("memory", () => {
  test("is the sum of its terms, and each says how it came about", () => {
    const answer = sized(planMemory(request()));
    assert.equal(term(answer, "weights"), 16_060_522_496);
    assert.equal(term(answer, "cache"), gibibyte);
    for (const share of answer.shares)
      assert.equal(
        share.bytes,
        share.terms.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    assert.equal(answer.fits, "yes");
    const text = summarizeMemory(answer);
    assert.match(text, /^device: 1\d\.\dGi of 21\.6Gi$/m);
    assert.match(
      text,
      /1\.0Gi {2}cache: 32 layers × 8 key-value heads × 2 × 128 × 2 B \(f16\) × 8192 tokens × 1 sequences/,
    );
    assert.match(text, /fits: yes$/);
  });

  test("follows the rule of thumb where that is the style", () => {
    const whole = planMemory(request({ style: servingStyles.thumb }));
    assert.equal(sized(whole).bytes, 16_060_522_496 + gibibyte + 512 * 1024 * 1024);
    const blind = planMemory(request({ style: servingStyles.thumb, model: { weightBytes: 1000 } }));
    assert.equal(sized(blind).bytes, 1200 + 512 * 1024 * 1024);
  });

  test("of mixed layers counts each kind for itself", () => {
    const gemma = {
      ...llama3,
      layers: 62,
      attention: [{ ...full(52, 16, 128), kind: "window", window: 1024 }, full(10, 16, 128)],
    } as ModelShape;
    const answer = planMemory(
      request({ model: { weightBytes: 1, shape: gemma }, style: servingStyles.thumb, context: 131_072 }),
    );
    const each = 16 * 128 * 2 * 2;
    assert.equal(term(answer, "cache"), 52 * each * 1024 + 10 * each * 131_072);
  });

  test("is shared by devices, and heads are repeated where there are too few", () => {
    const devices = Array.from({ length: 16 }, () => ({ name: "gpu", bytes: 24 * gibibyte }));
    const with16 = (tensor: number, pipeline = 1) =>
      planMemory(request({ split: { tensor, pipeline }, memory: { devices } }));
    assert.equal(term(with16(8), "cache"), gibibyte / 8);
    assert.equal(term(with16(16), "cache"), gibibyte / 8);
    assert.equal(term(with16(8), "weights"), 16_060_522_496 / 8);
    assert.equal(term(with16(2, 2), "cache"), gibibyte / 4);
    assert.equal(sized(with16(2, 2)).shares[0]?.times, 4);
    const deepseek: ModelShape = { ...llama3, attention: [{ kind: "latent", layers: 32, length: 576 }] };
    const latent = planMemory(
      request({ model: { weightBytes: 1, shape: deepseek }, split: { tensor: 8, pipeline: 1 }, memory: { devices } }),
    );
    assert.equal(term(latent, "cache"), 32 * 576 * 2 * 8192);
  });

  const impossible: readonly (readonly [Partial<SizingRequest>, RegExp])[] = [
    [{ split: { tensor: 3, pipeline: 1 } }, /32 attention heads cannot be split among 3 devices; use 1, 2, 4, 8, 16/],
    [{ split: { tensor: 1, pipeline: 33 } }, /32 layers cannot be split into 33 pipeline stages/],
    [{ split: { tensor: 0, pipeline: 1 } }, /parallel sizes must be at least 1/],
    [
      { split: { tensor: 2, pipeline: 1 }, memory: { devices: [{ name: "gpu", bytes: 1 }] } },
      /2 devices are requested, but only 1 available/,
    ],
    [{ context: 0 }, /at least 1 token/],
    [
      {
        model: { weightBytes: 1, shape: { ...llama3, heads: 12, attention: [full(32, 4, 128)] } },
        split: { tensor: 6, pipeline: 1 },
      },
      /4 key-value heads can neither/,
    ],
  ];
  for (const [extra, why] of impossible) {
    test(`cannot be planned: ${why.source}`, () => {
      const memory = { devices: Array.from({ length: 40 }, () => ({ name: "gpu", bytes: gibibyte })) };
      const answer = planMemory(request({ memory, ...extra }));
      assert.equal(answer.is, "impossible");
      assert.match(answer.is === "impossible" ? answer.why : "", why);
    });
  }

  test("is divided between device and processor by layers", () => {
    const host = { name: "ram", bytes: 64 * gibibyte };
    const answer = planMemory(
      request({
        deviceLayers: 8,
        style: servingStyles.llamacpp,
        memory: { devices: [{ name: "gpu", bytes: 8 * gibibyte }], host },
      }),
    );
    assert.equal(term(answer, "weights"), 16_060_522_496 / 4);
    assert.equal(term(answer, "weights", "host"), (16_060_522_496 / 4) * 3);
    assert.equal(term(answer, "cache"), gibibyte / 4);
    assert.equal(term(answer, "cache", "host"), (gibibyte / 4) * 3);
    assert.equal(sized(answer).fits, "yes");
  });

  test("of layers is exact where the tensors were read", () => {
    const blockBytes = Array.from({ length: 32 }, (_, at) => (at < 16 ? 100 : 300));
    const tensors = {
      count: 1,
      elements: 1,
      bytes: 7000,
      byType: {},
      byRole: {},
      blockBytes,
      embeddingBytes: 500,
      outputBytes: 100,
      restBytes: 0,
    };
    const model = { weightBytes: 7000, shape: llama3, tensors };
    const devices = [{ name: "gpu", bytes: gibibyte }];
    assert.equal(term(planMemory(request({ model, deviceLayers: 8, memory: { devices } })), "weights"), 2400);
    assert.equal(term(planMemory(request({ model, memory: { devices } })), "weights"), 7000);
  });

  test("of llama.cpp on a GPU is within 10 % of what was measured on an H200 with CUDA", () => {
    const mebibyte = 1024 ** 2;
    const memory = { devices: [{ name: "H200", bytes: 140 * gibibyte }] };
    // 24 layers and tables of 152k words in Q8_0, with random weights; the demo; and both with other contexts and layers.
    const large: ModelShape = {
      ...{ layers: 24, hiddenSize: 1024, heads: 16, attention: [full(24, 2, 64)] },
      ...{ vocabularySize: 151_936, intermediateSize: 4864, sharesEmbeddings: false },
    };
    const demo: ModelShape = {
      ...{ layers: 6, hiddenSize: 192, heads: 6, attention: [full(6, 3, 32)] },
      ...{ vocabularySize: 1728, intermediateSize: 512, sharesEmbeddings: true },
    };
    const blocks = (count: number, bytes: number): { blockBytes: number[] } => ({
      blockBytes: Array.from({ length: count }, () => bytes / count),
    });
    const q = { weightBytes: 772_001_792, shape: large, tensors: blocks(24, 441_384_960) };
    const small = { weightBytes: 2_947_584, shape: demo, tensors: blocks(6, 2_594_304) };
    const measured: readonly (readonly [Partial<SizingRequest>, number])[] = [
      [{ model: q, context: 512, slots: 1 }, 1480],
      [{ model: q, context: 2048, slots: 2 }, 1526],
      [{ model: q, context: 8192, slots: 4 }, 1862],
      [{ model: q, context: 2048, slots: 2, deviceLayers: 12 }, 1274],
      [{ model: q, context: 2048, slots: 2, deviceLayers: 18 }, 1388],
      [{ model: small, context: 512, slots: 1 }, 708],
      [{ model: small, context: 512, slots: 4 }, 714],
      [{ model: small, context: 2048, slots: 1 }, 734],
    ];
    for (const [extra, used] of measured) {
      const answer = sized(planMemory(request({ ...extra, memory, style: servingStyles.llamacpp })));
      const device = answer.shares.find(({ place }) => place === "device")?.bytes ?? 0;
      const ratio = device / mebibyte / used;
      assert.ok(ratio > 0.9 && ratio < 1.1, `${Math.round(device / mebibyte)} of ${used} MiB`);
    }
  });

  test("of adapters is rank times width", () => {
    const answer = planMemory(request({ adapters: [{ rank: 16, targets: ["q_proj", "v_proj"] }] }));
    assert.equal(term(answer, "adapters"), 16 * (4096 + 4096 + 4096 + 1024) * 32 * 2);
  });

  test("grows with every wish", () => {
    const demand = fc.record({ context: fc.integer({ min: 1, max: 1e6 }), slots: fc.integer({ min: 1, max: 512 }) });
    fc.assert(
      fc.property(demand, fc.nat(1e5), fc.nat(64), (base, tokens, slots) => {
        const small = sized(planMemory(request(base))).bytes;
        const large = sized(planMemory(request({ context: base.context + tokens, slots: base.slots + slots }))).bytes;
        assert.ok(large >= small);
      }),
    );
  });
});

describe("what would fit", () => {
  const tight = request({
    slots: 8,
    context: 32_768,
    style: servingStyles.llamacpp,
    memory: { devices: [{ name: "gpu", bytes: 24 * gibibyte }], host: { name: "ram", bytes: 64 * gibibyte } },
  });

  test("is nothing when it fits", () => assert.deepEqual(planAlternatives(request()), []));

  test("is told for each way alone, as large as it goes", () => {
    const found = planAlternatives(tight);
    assert.deepEqual(
      found.map(({ change }) => change),
      ["context", "slots", "layers", "devices"],
    );
    for (const { request: changed, answer } of found) assert.deepEqual(planMemory(changed), answer);
    const context = found[0]?.request.context ?? 0;
    assert.equal(sized(planMemory({ ...tight, context })).fits, "yes");
    assert.equal(sized(planMemory({ ...tight, context: context + 256 })).fits, "no");
  });

  test("is a number of layers for engines that divide them", () => {
    assert.equal(planDeviceLayers(request()), 32);
    const few = planDeviceLayers(tight);
    assert.ok(few > 0 && few < 32);
    assert.equal(sized(planMemory({ ...tight, deviceLayers: few })).fits, "yes");
    assert.equal(sized(planMemory({ ...tight, deviceLayers: few + 1 })).fits, "no");
    assert.equal(planDeviceLayers(request({ memory: { devices: [{ name: "gpu", bytes: 1 }] } })), 0);
  });

  test("names a smaller quantization when the weights are the trouble", () => {
    const found = planAlternatives({
      ...tight,
      slots: 1,
      context: 4096,
      memory: { devices: [{ name: "gpu", bytes: 8 * gibibyte }] },
    });
    const weights = found.find(({ change }) => change === "quantization");
    assert.equal(weights?.words, "weights quantized as Q6_K");
  });

  test("names a smaller cache when that is enough", () => {
    const found = planAlternatives({ ...tight, slots: 3 });
    assert.equal(found.find(({ change }) => change === "cache")?.words, "a KV cache of type q8_0");
  });
});

describe("the memory budget", () => {
  const total = 32 * gibibyte;
  const cases: readonly (readonly [Parameters<typeof planMemoryBudget>[0], number, string, number])[] = [
    [{ amount: "24Gi", fraction: 0.5 }, 24 * gibibyte, "amount", 0],
    [{ amount: "lots", fraction: 0.5 }, 16 * gibibyte, "fraction", 1],
    [{ amount: "-1", fraction: 1.5, defaultFraction: 0.25 }, 8 * gibibyte, "default", 2],
    [{ fraction: Number.NaN }, Math.floor(total * 0.67), "automatic", 1],
    [{}, Math.floor(total * 0.67), "automatic", 0],
  ];
  for (const [requests, bytes, from, ignored] of cases) {
    test(`from ${JSON.stringify(requests)} comes from the ${from}`, () => {
      const budget = planMemoryBudget(requests, total);
      assert.deepEqual([budget.bytes, budget.from, budget.ignored.length], [bytes, from, ignored]);
    });
  }
  test("of a large machine is three quarters", () =>
    assert.equal(planMemoryBudget({}, 64 * gibibyte).bytes, 48 * gibibyte));
});

test("amounts are written in binary units with one decimal", () => {
  const written = [0, 500, 1024, 1536, 5 * gibibyte, 2 ** 80].map(formatMemory);
  assert.deepEqual(written, ["0", "500", "1.0Ki", "1.5Ki", "5.0Gi", "1048576.0Ei"]);
});
