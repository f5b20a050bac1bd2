// A hundred thousand wrong files and addresses: each is read or refused in words, in few steps and little memory.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WeightsError } from "../src/fault.ts";
import { type ByteSource, memorySource } from "../src/reading/byte-source.ts";
import { readGguf } from "../src/reading/gguf.ts";
import { readSafetensors } from "../src/reading/safetensors.ts";
import { parseModelUri } from "../src/sources/uri.ts";
import { mutated, randomFrom } from "./files/mutate.ts";
import { smallLlama } from "./files/write-gguf.ts";
import { smallSafetensors, writeSafetensors } from "./files/write-safetensors.ts";

/** More with `WEIGHTS_FUZZ=10`. Another start with `WEIGHTS_SEED`. */
const times = Number(process.env.WEIGHTS_FUZZ ?? 1);
const seed = Number(process.env.WEIGHTS_SEED ?? 20_260);
const mostReads = 400;

/** Counts what a reader asks for; asking for much more than there is would be the start of a large allocation. */
function watched(bytes: Uint8Array, steps: readonly number[]): ByteSource & { reads: number } {
  const inner = memorySource(bytes);
  return {
    ...inner,
    steps,
    reads: 0,
    read(offset, length) {
      this.reads++;
      assert.ok(this.reads <= mostReads, `more than ${mostReads} reads of ${bytes.length} bytes`);
      assert.ok(offset >= 0 && length >= 0 && offset <= bytes.length, `a read at ${offset} of ${bytes.length}`);
      assert.ok(length <= bytes.length + 4096, `a read of ${length} from ${bytes.length} bytes`);
      return inner.read(offset, length);
    },
  };
}

interface Tried {
  readonly taken: number;
  readonly refused: number;
}

async function tryAll(
  count: number,
  originals: readonly Uint8Array[],
  read: (source: ByteSource) => Promise<unknown>,
): Promise<Tried> {
  const random = randomFrom(seed);
  const { stackTraceLimit } = Error;
  // Most of the time would go into stacks that nobody reads.
  Error.stackTraceLimit = 0;
  const heapBefore = process.memoryUsage().heapUsed;
  let [taken, refused] = [0, 0];
  for (let i = 0; i < count; i++) {
    const original = originals[i % originals.length] as Uint8Array;
    const other = originals[random(originals.length)] as Uint8Array;
    const bytes = mutated(original, other, random);
    try {
      await read(watched(bytes, i % 8 === 0 ? [64, 256] : [4096]));
      taken++;
    } catch (error) {
      const isDeclared = error instanceof WeightsError && error.reason === "InvalidModelFile";
      if (!isDeclared)
        throw new Error(`input ${i}: ${Buffer.from(bytes).toString("base64").slice(0, 2000)}`, { cause: error });
      assert.ok(error.message.length < 600 && error.message.isWellFormed(), `input ${i}: ${error.message.length}`);
      refused++;
    }
  }
  Error.stackTraceLimit = stackTraceLimit;
  const grown = process.memoryUsage().heapUsed - heapBefore;
  assert.ok(grown < 200e6, `the heap grew by ${grown} bytes`);
  return { taken, refused };
}

describe("wrong input", { concurrency: false }, () => {
  test("of 40,000 GGUF files none breaks the reader", async () => {
    const originals = [1, 2, 3].flatMap((version) => [smallLlama({ version }), smallLlama({ version, isBig: true })]);
    const { taken, refused } = await tryAll(40_000 * times, originals, readGguf);
    assert.ok(taken > 1000 && refused > 10_000, `${taken} were taken, ${refused} refused`);
  });

  test("of 25,000 safetensors files none breaks the reader", async () => {
    const plain = writeSafetensors({ a: { dtype: "F4", shape: [2, 4], data_offsets: [0, 4] } }, 4);
    const { taken, refused } = await tryAll(25_000 * times, [smallSafetensors(), plain], readSafetensors);
    assert.ok(taken > 100 && refused > 10_000, `${taken} were taken, ${refused} refused`);
  });

  test("of 40,000 addresses none breaks the parser, and none of them names a path outside", () => {
    const random = randomFrom(seed);
    const words = [
      "hf://",
      "s3://",
      "oci://",
      "file://",
      "https://",
      "http://",
      "pvc://",
      "vendor://",
      "org/repo",
      "@main",
      "/",
      "..",
      "%2e%2e",
      "%00",
      "%",
      "é",
      "\u0000",
      "\\",
      "a",
      "b.gguf",
      "n/ns/b/bucket/o/",
      ":",
      "?x=y",
      "#",
      "@sha256:",
      "user:pw@",
      "[::1]",
      "bucket",
      " ",
      "\u{1f600}",
      "\ud800",
    ];
    let [taken, refused] = [0, 0];
    for (let i = 0; i < 40_000 * times; i++) {
      const text = Array.from({ length: 1 + random(7) }, () => words[random(words.length)]).join("");
      try {
        const uri = parseModelUri(text);
        const path = uri.scheme === "hub" ? uri.path : uri.scheme === "s3" ? uri.key.replace(/\/$/, "") : undefined;
        assert.ok(
          path === undefined || path === "" || !path.split("/").some((word) => word === ".." || word === "."),
          text,
        );
        taken++;
      } catch (error) {
        if (!(error instanceof WeightsError)) throw new Error(`input ${i}: ${JSON.stringify(text)}`, { cause: error });
        refused++;
      }
    }
    assert.ok(taken > 1000 && refused > 1000, `${taken} were taken, ${refused} refused`);
  });
});
