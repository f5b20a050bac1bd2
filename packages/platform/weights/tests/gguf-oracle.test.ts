// The Hub's own reader as a second opinion: on every valid file both say the same.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gguf } from "@huggingface/gguf";
import type { MetadataValue } from "@trivium/domain";
import fc from "fast-check";
import { memorySource } from "../src/reading/byte-source.ts";
import { readGguf } from "../src/reading/gguf.ts";
import { type GgufValue, smallLlama, type WrittenTensor, writeGguf } from "./files/write-gguf.ts";
import { folder } from "./stage.ts";

const scalar: fc.Arbitrary<GgufValue> = fc.oneof(
  fc.record({ type: fc.constant("u8" as const), value: fc.nat(255) }),
  fc.record({ type: fc.constant("i8" as const), value: fc.integer({ min: -128, max: 127 }) }),
  fc.record({ type: fc.constant("u16" as const), value: fc.nat(65_535) }),
  fc.record({ type: fc.constant("i16" as const), value: fc.integer({ min: -32_768, max: 32_767 }) }),
  fc.record({ type: fc.constant("u32" as const), value: fc.nat(4_294_967_295) }),
  fc.record({ type: fc.constant("i32" as const), value: fc.integer() }),
  fc.record({ type: fc.constant("u64" as const), value: fc.nat(Number.MAX_SAFE_INTEGER) }),
  fc.record({ type: fc.constant("i64" as const), value: fc.maxSafeInteger() }),
  fc.record({ type: fc.constant("f64" as const), value: fc.double({ noNaN: true }) }),
  fc.record({ type: fc.constant("bool" as const), value: fc.boolean() }),
  fc.record({ type: fc.constant("string" as const), value: fc.string({ unit: "grapheme", maxLength: 20 }) }),
);
const values: fc.Arbitrary<GgufValue> = fc.oneof(
  scalar,
  fc.array(fc.nat(1000), { maxLength: 8 }).map((items) => ({
    type: "array" as const,
    of: "u32" as const,
    items: items.map((value) => ({ type: "u32" as const, value })),
  })),
  fc.array(fc.string({ maxLength: 12 }), { maxLength: 8 }).map((items) => ({
    type: "array" as const,
    of: "string" as const,
    items: items.map((value) => ({ type: "string" as const, value })),
  })),
);
const key = fc.stringMatching(/^[a-z]{1,6}(\.[a-z_]{1,8}){1,2}$/).filter((name) => name !== "general.alignment");
const metadata = fc.uniqueArray(fc.tuple(key, values), { selector: ([name]) => name, maxLength: 12 });
const shapes = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }), { maxLength: 6 });

function tensorsOf(list: readonly (readonly number[])[]): { tensors: WrittenTensor[]; dataBytes: number } {
  let dataBytes = 0;
  const tensors = list.map((dimensions, at) => {
    const offset = dataBytes;
    const bytes = dimensions.reduce((product, each) => product * each, 1) * 4;
    dataBytes += Math.ceil(bytes / 32) * 32;
    return { name: `blk.${at}.weight`, dimensions, type: 0, offset };
  });
  return { tensors, dataBytes };
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  return Array.isArray(value) ? value.map(plain) : value;
}

test("both readers see the same in every valid file", async (t) => {
  const path = join(await folder(t), "m.gguf");
  await fc.assert(
    fc.asyncProperty(metadata, shapes, fc.boolean(), async (pairs, list, isBig) => {
      const architecture: [string, GgufValue] = ["general.architecture", { type: "string", value: "llama" }];
      const all = [architecture, ...pairs.filter(([name]) => name !== architecture[0])];
      const bytes = writeGguf({ isBig, metadata: all, ...tensorsOf(list) });
      await writeFile(path, bytes);
      const theirs = await gguf(path, { allowLocalFile: true });
      const ours = await readGguf(memorySource(bytes), { keepArray: () => true });
      for (const [name] of all)
        assert.deepEqual(ours.metadata[name], plain(theirs.metadata[name as never]) as MetadataValue, name);
      assert.equal(ours.tensorCount, theirs.tensorInfos.length);
      const elements = theirs.tensorInfos.reduce(
        (sum, { shape }) => sum + Number(shape.reduce((a, b) => a * b, 1n)),
        0,
      );
      assert.equal(ours.tensors?.elements, elements);
    }),
    { numRuns: 150, seed: 7 },
  );
});

test("a file that was cut is refused, though the other reader takes it at almost any length", async (t) => {
  const path = join(await folder(t), "cut.gguf");
  const bytes = smallLlama();
  let takenElsewhere = 0;
  for (let length = 40; length < 1200; length += 97) {
    const cut = bytes.slice(0, length);
    await assert.rejects(readGguf(memorySource(cut)), { reason: "InvalidModelFile" });
    await writeFile(path, cut);
    takenElsewhere += await gguf(path, { allowLocalFile: true }).then(
      () => 1,
      () => 0,
    );
  }
  t.diagnostic(`@huggingface/gguf took ${takenElsewhere} of 12`);
});
