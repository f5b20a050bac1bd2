import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { computeThreads } from "../threads.ts";
import { planCapacity } from "./capacity.ts";
import { explainFailure } from "./load-failure.ts";
import { modelFileOf } from "./model-file.ts";
import { ModelFileError, type ModelFileHeader, readModelFile } from "./model-header.ts";

const demo = fileURLToPath(new URL("../../../../../examples/models/demo/demo.gguf", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "trivium-gguf-"));
after(() => rmSync(folder, { recursive: true, force: true }));

describe("the head of a model file", () => {
  it("is read", async () => {
    const { architecture, bytes, metadata, vocabulary } = await readModelFile(demo);
    assert.deepEqual([architecture, bytes, vocabulary], ["llama", 2_991_200, 1728]);
    assert.equal(metadata["llama.context_length"], 512);
    assert.equal(metadata["general.name"], "Trivium Demo");
  });

  const path = join(folder, "broken.gguf");
  const broken: [what: string, make: () => void, why: RegExp][] = [
    [
      "of another kind",
      () => writeFileSync(path, "x".repeat(100)),
      /: it is not a GGUF file: it does not start with GGUF$/,
    ],
    ["that is empty", () => writeFileSync(path, ""), /: it is empty; download it again$/],
    ["of the future", () => change(4, 9), /GGUF version 9 is not supported/],
    ["with a length that cannot be", () => change(23, 0xff), /it declares \d+ keys \(maximum: 65536\)$/],
    ["with more values than bytes", () => change(18, 0x7f), /it declares 8323101 keys/],
    ["cut in its head", () => cut(5000), /: it is truncated or damaged at byte 857; download it again$/],
    ["cut in its tensors", () => cut(2_991_000), /: it is truncated: 200 bytes are missing; download it again$/],
  ];
  for (const [what, make, why] of broken)
    it(`is refused: a file ${what}`, async () => {
      make();
      await assert.rejects(readModelFile(path), (error) => error instanceof ModelFileError && why.test(error.message));
    });
  it("is refused: no file, a folder", async () => {
    await assert.rejects(readModelFile("/nope.gguf"), /file not found$/);
    await assert.rejects(readModelFile(folder), /it is not a file/);
  });
  it("never ends but in its own words, wherever the file is cut", async () => {
    for (let length = 0; length < 60_000; length += 997) {
      cut(length);
      await assert.rejects(readModelFile(path), ModelFileError);
    }
  });

  function change(at: number, byte: number): void {
    const bytes = readFileSync(demo);
    bytes[at] = byte;
    writeFileSync(path, bytes);
  }
  function cut(length: number): void {
    copyFileSync(demo, path);
    truncateSync(path, length);
  }
});

describe("slots and context", () => {
  // 32 layers of 8 heads of 128: 128 KiB a token.
  const large: ModelFileHeader = {
    architecture: "llama",
    bytes: 1,
    vocabulary: 1,
    metadata: {
      "llama.context_length": 131_072,
      "llama.block_count": 32,
      "llama.attention.head_count": 32,
      "llama.attention.head_count_kv": 8,
      "llama.embedding_length": 4096,
    },
  };
  const plan = (contextSize: number, slots: number | undefined, freeMemory = 64e9) => {
    const { slots: count, contextPerSlot } = planCapacity(large, { contextSize, slots, freeMemory });
    return [count, contextPerSlot];
  };
  it("are divided as asked", () => assert.deepEqual(plan(8192, 4), [4, 2048]));
  it("are as many as fit into a gigabyte when nobody says", () => {
    assert.deepEqual(plan(2048, undefined), [4, 2048]);
    assert.deepEqual(plan(4096, undefined), [2, 4096]);
    assert.deepEqual(plan(32_768, undefined), [1, 32_768]);
  });
  it("are as long as memory allows when nobody says", () => {
    assert.deepEqual(plan(0, 1), [1, 131_072]);
    assert.deepEqual(plan(0, 1, 8 * 2 ** 30), [1, 32_768]);
    assert.deepEqual(plan(0, 1, 1e6), [1, 4096]);
  });
});

describe("threads", () => {
  it("are as many as requested, as far as they can run at once; else all cores but one", () => {
    const rows: [requested: number | undefined, physical: number, logical: number, threads: number][] = [
      [undefined, 8, 16, 7],
      [4, 8, 8, 4],
      [16, 8, 16, 16],
      [32, 8, 16, 16],
      [-1, 8, 8, 7],
      [2, 2, 2, 2],
      [undefined, 1, 1, 1],
      [undefined, 8, 2, 1],
    ];
    for (const [requested, physical, logical, threads] of rows)
      assert.equal(computeThreads(requested, { physical, logical }), threads);
  });
});

describe("a load that failed", () => {
  const header = (architecture: string, bytes: number): ModelFileHeader => ({
    architecture,
    bytes,
    vocabulary: 1,
    metadata: {},
  });
  it("is told in native words", () => {
    const nativeLines = [
      "llama_model_load: error loading model: missing tensor 'x'",
      "llama_model_load_from_file_impl: failed to load model",
    ];
    assert.equal(
      explainFailure({ path: "m", header: header("llama", 1), nativeLines }),
      "cannot load model m: missing tensor 'x'",
    );
  });
  it("is told to be a lack of memory", () => {
    const nativeLines = [
      "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 99",
      "x: error loading model: unable",
    ];
    const why = explainFailure({ path: "m", header: header("llama", 1), nativeLines });
    assert.equal(why, "cannot load model m: not enough memory: failed to allocate buffer of size 99");
    assert.match(
      explainFailure({ path: "m", header: header("llama", 1e18), nativeLines: [] }),
      /not enough memory: the file has/,
    );
  });
  it("is explained by the file where nothing was heard", () => {
    assert.match(
      explainFailure({ path: "m", header: header("alpac", 1), nativeLines: [] }),
      /unknown model architecture: 'alpac'$/,
    );
    assert.match(explainFailure({ path: "m", header: header("llama", 1), nativeLines: [] }), /the native code failed/);
  });
});

describe("a path", () => {
  const models = join(folder, "models");
  const put = (...names: string[]): void => {
    rmSync(models, { recursive: true, force: true });
    for (const name of names) {
      mkdirSync(dirname(join(models, name)), { recursive: true });
      writeFileSync(join(models, name), "");
    }
  };

  it("means the one model of a folder, in however many parts", () => {
    put("config.json", "chat.gguf", "mmproj-chat.gguf", ".cache/other.gguf");
    assert.equal(modelFileOf(models), join(models, "chat.gguf"));
    put("q4/chat-00002-of-00002.gguf", "q4/chat-00001-of-00002.gguf");
    assert.equal(modelFileOf(models), join(models, "q4/chat-00001-of-00002.gguf"));
    assert.equal(modelFileOf(demo), demo);
    assert.equal(modelFileOf(join(models, "nowhere.gguf")), join(models, "nowhere.gguf"));
  });

  it("to none or several is refused by name", () => {
    put("config.json");
    assert.throws(() => modelFileOf(models), /the folder contains no \.gguf file/);
    put("a.gguf", "b.gguf");
    assert.throws(() => modelFileOf(models), /several models \(a\.gguf, b\.gguf\); pass one of the files/);
  });
});
