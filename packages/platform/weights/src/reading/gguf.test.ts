import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { list, smallLlama, text, u32, type WrittenGguf, writeGguf } from "../../tests/files/write-gguf.ts";
import { WeightsError } from "../fault.ts";
import { type ByteSource, memorySource } from "./byte-source.ts";
import { type GgufOptions, readGguf } from "./gguf.ts";
import { readSplitGguf, splitsOf } from "./gguf-split.ts";

const read = (bytes: Uint8Array, options?: GgufOptions) => readGguf(memorySource(bytes, "m.gguf"), options);

/** Gives bytes in crumbs, so that every field lies across two reads once. */
function crumbs(bytes: Uint8Array, step: number): ByteSource {
  return { ...memorySource(bytes), steps: [step] };
}

async function refused(bytes: Uint8Array, why: RegExp, options?: GgufOptions): Promise<void> {
  await assert.rejects(read(bytes, options), (error) => {
    assert.ok(error instanceof WeightsError, String(error));
    assert.equal(error.reason, "InvalidModelFile");
    assert.match(error.message, why);
    return true;
  });
}

const vector = Buffer.from(
  "474755460300000001000000000000000800000000000000140000000000000067656e6572616c2e61726368697465637475726508" +
    "00000005000000000000006c6c616d610c0000000000000067656e6572616c2e6e616d6508000000090000000000000054696e7920" +
    "54657374110000000000000067656e6572616c2e66696c655f74797065040000000f00000014000000000000006c6c616d612e636f" +
    "6e746578745f6c656e677468040000000008000016000000000000006c6c616d612e656d62656464696e675f6c656e677468040000" +
    "004000000011000000000000006c6c616d612e626c6f636b5f636f756e7404000000020000001a000000000000006c6c616d612e61" +
    "7474656e74696f6e2e686561645f636f756e7404000000040000000f0000000000000067656e6572616c2e6c6963656e7365080000" +
    "000a0000000000000041706163686520322e301100000000000000746f6b656e5f656d62642e776569676874020000004000000000" +
    "0000000800000000000000000000000000000000000000",
  "hex",
);

describe("the header of a GGUF file", () => {
  test("is read as the format's vector has it", async () => {
    const header = await read(vector, { content: "header" });
    assert.deepEqual(header.metadata, {
      "general.architecture": "llama",
      "general.name": "Tiny Test",
      "general.file_type": 15,
      "llama.context_length": 2048,
      "llama.embedding_length": 64,
      "llama.block_count": 2,
      "llama.attention.head_count": 4,
      "general.license": "Apache 2.0",
    });
    assert.equal(header.tensors?.elements, 512);
    await refused(vector, /truncated: \d+ bytes are missing/);
  });

  for (const version of [1, 2, 3]) {
    for (const isBig of [false, true]) {
      test(`is the same in version ${version}, ${isBig ? "big" : "little"} end first, whatever the pieces it comes in`, async () => {
        const bytes = smallLlama({ version, isBig });
        const header = await read(bytes);
        assert.equal(header.version, version);
        assert.equal(header.byteOrder, isBig ? "big" : "little");
        assert.deepEqual(header.metadata["llama.attention.head_count_kv"], [2, 1]);
        assert.deepEqual(header.metadata["tokenizer.ggml.tokens"], { skipped: "array", count: 4 });
        assert.deepEqual(header.metadata["odd.nested"], { skipped: "array", count: 2 });
        assert.equal(header.metadata["odd.wide"], -5);
        assert.equal(header.metadata["odd.flag"], true);
        assert.deepEqual(header.tensors, {
          count: 4,
          elements: 128 + 1024 + 1024 + 32,
          bytes: 512 + 1088 + 2048 + 128,
          byType: {
            F32: { tensors: 2, elements: 160, bytes: 640 },
            Q8_0: { tensors: 1, elements: 1024, bytes: 1088 },
            F16: { tensors: 1, elements: 1024, bytes: 2048 },
          },
          byRole: {
            "weight F32": { tensors: 2, elements: 160, bytes: 640 },
            "weight Q8_0": { tensors: 1, elements: 1024, bytes: 1088 },
            "weight F16": { tensors: 1, elements: 1024, bytes: 2048 },
          },
          blockBytes: [1088, 2048],
          embeddingBytes: 512,
          outputBytes: 0,
          restBytes: 128,
        });
        for (const step of [1, 3, 7, 64]) assert.deepEqual(await readGguf(crumbs(bytes, step)), header);
      });
    }
  }

  test("keeps the arrays that are asked for, and lists tensors to whoever listens", async () => {
    const names: string[] = [];
    const header = await read(smallLlama(), {
      keepArray: (key) => key === "tokenizer.ggml.tokens",
      onTensor: ({ name }) => names.push(name),
    });
    assert.deepEqual(header.metadata["tokenizer.ggml.tokens"], ["a", "bc", "", "日本"]);
    assert.equal(names.length, 4);
  });

  test("ends before the vocabulary when only facts are wanted", async () => {
    const bytes = smallLlama({
      metadata: [
        ["general.architecture", text("llama")],
        ["llama.block_count", u32(2)],
        ["llama.context_length", u32(128)],
        ["llama.embedding_length", u32(32)],
        [
          "tokenizer.ggml.tokens",
          list(
            "string",
            Array.from({ length: 9000 }, () => text("word")),
          ),
        ],
        ["general.file_type", u32(7)],
      ],
    });
    const facts = await read(bytes, { depth: "facts" });
    assert.equal(facts.endsBefore, "tokenizer.ggml.tokens");
    assert.equal(facts.tensors, undefined);
    assert.equal((await read(bytes)).metadata["general.file_type"], 7);
  });

  test("of two values for one key counts the first, and says so", async () => {
    const header = await read(
      smallLlama({
        metadata: [
          ["a", u32(1)],
          ["a", u32(2)],
        ],
      }),
    );
    assert.equal(header.metadata.a, 1);
    assert.deepEqual(header.warnings, ["duplicate key a; the first value is used"]);
  });

  test("keeps keys that mean something to JavaScript", async () => {
    const header = await read(
      smallLlama({
        metadata: [
          ["__proto__", u32(1)],
          ["constructor", u32(2)],
        ],
      }),
    );
    assert.deepEqual(Object.keys(header.metadata), ["__proto__", "constructor"]);
  });

  test("is refused when it is cut off anywhere", async () => {
    const bytes = smallLlama();
    for (let length = 0; length < bytes.length; length++) await refused(bytes.subarray(0, length), /./);
    await read(bytes);
  });

  const hostile: readonly (readonly [string, WrittenGguf, RegExp])[] = [
    ["another version", { version: 4 }, /version 4 is not supported/],
    ["2^40 keys", { claims: { keys: 2 ** 40 } }, /declares \d+ keys/],
    ["2^40 tensors", { claims: { tensors: 2 ** 40 } }, /declares \d+ tensors/],
    ["more tensors than its length allows", { claims: { tensors: 500_000 } }, /too short for them/],
    ["an alignment of 24", { metadata: [["general.alignment", u32(24)]] }, /alignment is 24/],
    ["an alignment of 0", { metadata: [["general.alignment", u32(0)]] }, /alignment is 0/],
    ["an alignment in words", { metadata: [["general.alignment", text("32")]] }, /alignment is "32"/],
    ["arrays within arrays", { metadata: [["deep", nested(5)]] }, /nested deeper than 4/],
    [
      "two tensors of one name",
      { tensors: [tensor("a", 0), tensor("a", 128)], dataBytes: 256 },
      /two tensors named "a"/,
    ],
    ["tensors on each other", { tensors: [tensor("a", 32), tensor("b", 0)], dataBytes: 256 }, /overlap/],
    ["a tensor between the steps", { tensors: [tensor("a", 8)], dataBytes: 256 }, /not a multiple of 32/],
    ["a tensor past the end", { tensors: [tensor("a", 2 ** 40)], dataBytes: 256 }, /bytes are missing/],
    [
      "17 dimensions",
      { tensors: [{ ...tensor("a", 0), dimensions: new Array(17).fill(1) }], dataBytes: 256 },
      /17 dimensions/,
    ],
    [
      "endless dimensions",
      { tensors: [{ ...tensor("a", 0), dimensions: [2 ** 40, 2 ** 40] }], dataBytes: 9 },
      /invalid size/,
    ],
    [
      "half a block",
      { tensors: [{ ...tensor("a", 0), dimensions: [33], type: 8 }], dataBytes: 256 },
      /not a multiple of 32/,
    ],
    ["a name of 65 bytes", { tensors: [tensor("x".repeat(65), 0)], dataBytes: 256 }, /65 bytes \(maximum: 64\)/],
    ["an empty key", { metadata: [["", u32(1)]] }, /a key has 0 bytes/],
  ];
  for (const [what, file, why] of hostile) {
    test(`is refused with ${what}`, () => refused(writeGguf({ dataBytes: 0, ...file }), why));
  }

  test("is refused with lengths beyond all files", async () => {
    const bytes = smallLlama();
    const at = 24;
    new DataView(bytes.buffer).setBigUint64(at, 2n ** 63n, true);
    await refused(bytes, /invalid length/);
    new DataView(bytes.buffer).setBigUint64(at, 2n ** 40n, true);
    await refused(bytes, /truncated/);
  });

  test("counts tensors of an unknown type and says what it cannot say", async () => {
    const header = await read(writeGguf({ tensors: [{ ...tensor("a", 0), type: 999 }], dataBytes: 0 }));
    assert.equal(header.tensors?.elements, 32);
    assert.deepEqual(header.warnings, ["tensors of the unknown type 999 are not included in the size"]);
  });
});

describe("a split model", () => {
  const part = (no: number, count: number, total: number): Uint8Array =>
    writeGguf({
      metadata: [
        ["split.no", u32(no)],
        ["split.count", u32(count)],
        ["split.tensors.count", u32(total)],
      ],
      tensors: [tensor(`blk.${no}.w`, 0)],
      dataBytes: 128,
    });
  const sources = (...parts: Uint8Array[]) => parts.map((bytes, at) => memorySource(bytes, `part ${at + 1}`));

  test("is named by its parts", () => {
    assert.deepEqual(splitsOf("dir/m-00002-of-00003.gguf"), [
      "dir/m-00001-of-00003.gguf",
      "dir/m-00002-of-00003.gguf",
      "dir/m-00003-of-00003.gguf",
    ]);
    for (const name of ["m.gguf", "m-00004-of-00003.gguf", "m-00000-of-00003.gguf", "m-00001-of-99999.gguf"])
      assert.equal(splitsOf(name), undefined);
  });

  test("is added up", async () => {
    const header = await readSplitGguf(sources(part(0, 2, 2), part(1, 2, 2)));
    assert.equal(header.files, 2);
    assert.equal(header.tensorCount, 2);
    assert.deepEqual(header.tensors?.blockBytes, [128, 128]);
  });

  test("is refused when parts are mixed up, missing or not of one model", async () => {
    await assert.rejects(readSplitGguf(sources(part(1, 2, 2), part(0, 2, 2))), /is part 2 of 2 \(expected 1 of 2\)/);
    await assert.rejects(readSplitGguf(sources(part(0, 2, 2))), /part 1 of 2 \(expected 1 of 1\)/);
    await assert.rejects(readSplitGguf(sources(part(0, 2, 3), part(1, 2, 3))), /contain 2 tensors \(expected 3\)/);
  });
});

function tensor(name: string, offset: number) {
  return { name, dimensions: [32], type: 0, offset };
}

function nested(depth: number): ReturnType<typeof list> {
  return depth === 0 ? list("u8", []) : list("array", [nested(depth - 1)]);
}
