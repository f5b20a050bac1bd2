import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { smallSafetensors, writeSafetensors } from "../../tests/files/write-safetensors.ts";
import { memorySource } from "./byte-source.ts";
import { readSafetensors } from "./safetensors.ts";
import { parseShardIndex, readShardedSafetensors } from "./safetensors-index.ts";

const read = (bytes: Uint8Array) => readSafetensors(memorySource(bytes, "m.safetensors"));
const one = (start: number, end: number) => ({ dtype: "U8", shape: [end - start], data_offsets: [start, end] });

describe("the header of a safetensors file", () => {
  test("is added up by type, role and layer", async () => {
    const header = await read(smallSafetensors());
    assert.deepEqual(header.metadata, { format: "pt" });
    assert.deepEqual(header.tensors.byRole, {
      "weight BF16": { tensors: 2, elements: 64, bytes: 128 },
      "weight F8_E4M3": { tensors: 1, elements: 64, bytes: 64 },
      "weight_scale_inv F32": { tensors: 1, elements: 1, bytes: 4 },
    });
    assert.deepEqual(header.tensors.blockBytes, [68]);
    assert.equal(header.tensors.embeddingBytes, 64);
    assert.equal(header.tensors.outputBytes, 64);
  });

  test("is read in two steps when it is long", async () => {
    const bytes = smallSafetensors();
    const source = { ...memorySource(bytes), steps: [16] };
    assert.deepEqual(await readSafetensors(source), await read(bytes));
  });

  test("is refused when it is cut off anywhere", async () => {
    const bytes = smallSafetensors();
    for (let length = 0; length < bytes.length; length++)
      await assert.rejects(read(bytes.subarray(0, length)), { name: "WeightsError", reason: "InvalidModelFile" });
  });

  const hostile: readonly (readonly [string, Record<string, unknown> | string, number, RegExp])[] = [
    ["a hole", { a: one(0, 4), b: one(8, 12) }, 12, /a gap before tensor b/],
    ["an overlap", { a: one(0, 4), b: one(2, 6) }, 6, /an overlap before tensor b/],
    ["bytes that belong to nobody", { a: one(0, 4) }, 5, /longer than its header declares/],
    ["a length that does not match the shape", { a: { ...one(0, 4), shape: [3] } }, 4, /3 of U8 do not have 4 bytes/],
    [
      "a tensor that ends before it begins",
      { a: { dtype: "X", shape: [], data_offsets: [4, 0] } },
      4,
      /ends before it starts/,
    ],
    ["negative offsets", { a: { dtype: "U8", shape: [1], data_offsets: [-1, 0] } }, 0, /not a pair of offsets/],
    [
      "a shape that overflows",
      { a: { dtype: "U8", shape: [2 ** 40, 2 ** 40], data_offsets: [0, 4] } },
      4,
      /invalid size/,
    ],
    [
      "one name twice",
      `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`,
      1,
      /duplicate name/,
    ],
    ["one field twice", `{"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}}`, 1, /duplicate name/],
    ["depth", `{"a":${"[".repeat(50)}${"]".repeat(50)}}`, 0, /nested deeper/],
    ["a list", "[]", 0, /does not start with \{/],
    ["no JSON", "{a}", 0, /is not JSON/],
    ["no description", { a: 7 }, 0, /description is missing/],
  ];
  for (const [what, header, data, why] of hostile) {
    test(`is refused with ${what}`, () => assert.rejects(read(writeSafetensors(header, data)), { message: why }));
  }

  test("is refused before it is read when it claims to be longer than any", async () => {
    const bytes = smallSafetensors();
    new DataView(bytes.buffer).setBigUint64(0, 100_000_001n, true);
    await assert.rejects(read(bytes), /longer than 100000000 bytes/);
  });

  test("may have colons and quotes in its names", async () => {
    const header = await read(writeSafetensors({ 'a:"b\\': one(0, 1) }, 1));
    assert.equal(header.tensors.count, 1);
  });
});

describe("a sharded model", () => {
  const shards: Record<string, Uint8Array> = {
    "a.safetensors": writeSafetensors({ x: one(0, 4) }, 4),
    "b.safetensors": writeSafetensors({ y: one(0, 8) }, 8),
    "c.safetensors": writeSafetensors({ x: one(0, 4) }, 4),
  };
  const open = async (name: string) => memorySource(shards[name] as Uint8Array, name);
  const index = (map: unknown) => parseShardIndex(JSON.stringify({ weight_map: map }), "index.json");

  test("is added up", async () => {
    const header = await readShardedSafetensors(index({ x: "a.safetensors", y: "b.safetensors" }), open);
    assert.equal(header.files, 2);
    assert.equal(header.tensors.bytes, 12);
  });

  test("is refused when index and files do not agree", async () => {
    await assert.rejects(
      readShardedSafetensors(index({ x: "b.safetensors" }), open),
      /tensor x not found in its 1 files/,
    );
    await assert.rejects(
      readShardedSafetensors(index({ x: "a.safetensors", z: "c.safetensors" }), open),
      /it lists tensor x in a.safetensors, but c.safetensors contains it/,
    );
  });

  test("is refused when its index leads elsewhere or nowhere", () => {
    for (const map of [{ x: "../a" }, { x: "/etc/passwd" }, { x: 7 }, undefined, []])
      assert.throws(() => index(map), { reason: "InvalidModelFile" });
    assert.throws(() => parseShardIndex("{", "index.json"), /is not JSON/);
  });
});
