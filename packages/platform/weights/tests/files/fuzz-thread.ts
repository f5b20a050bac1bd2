// Reads wrong files in a thread with little memory: a reader that allocates what a file claims ends the thread.
import assert from "node:assert/strict";
import { parentPort, workerData } from "node:worker_threads";
import { WeightsError } from "../../src/fault.ts";
import { type ByteSource, memorySource } from "../../src/reading/byte-source.ts";
import { readGguf } from "../../src/reading/gguf.ts";
import { readSafetensors } from "../../src/reading/safetensors.ts";
import { mutated, randomFrom } from "./mutate.ts";
import { smallLlama } from "./write-gguf.ts";
import { smallSafetensors, writeSafetensors } from "./write-safetensors.ts";

export interface FuzzTask {
  readonly format: "gguf" | "safetensors";
  readonly count: number;
  readonly seed: number;
}

export interface FuzzResult {
  readonly taken: number;
  readonly refused: number;
}

const maxReads = 400;

const formats = {
  gguf: {
    originals: [1, 2, 3].flatMap((version) => [smallLlama({ version }), smallLlama({ version, isBig: true })]),
    read: (source: ByteSource): Promise<unknown> => readGguf(source),
  },
  safetensors: {
    originals: [smallSafetensors(), writeSafetensors({ a: { dtype: "F4", shape: [2, 4], data_offsets: [0, 4] } }, 4)],
    read: (source: ByteSource): Promise<unknown> => readSafetensors(source),
  },
};

/** Counts what a reader asks for; asking for much more than there is would be the start of a large allocation. */
function watched(bytes: Uint8Array, steps: readonly number[]): ByteSource {
  const inner = memorySource(bytes);
  let reads = 0;
  return {
    ...inner,
    steps,
    read(offset, length) {
      reads++;
      assert.ok(reads <= maxReads, `more than ${maxReads} reads of ${bytes.length} bytes`);
      assert.ok(offset >= 0 && length >= 0 && offset <= bytes.length, `a read at ${offset} of ${bytes.length}`);
      assert.ok(length <= bytes.length + 4096, `a read of ${length} from ${bytes.length} bytes`);
      return inner.read(offset, length);
    },
  };
}

async function tryAll({ format, count, seed }: FuzzTask): Promise<FuzzResult> {
  const { originals, read } = formats[format];
  const random = randomFrom(seed);
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
      const input = Buffer.from(bytes).toString("base64").slice(0, 2000);
      if (!isDeclared) throw new Error(`input ${i}: ${error}: ${input}`, { cause: error });
      assert.ok(error.message.length < 600 && error.message.isWellFormed(), `input ${i}: ${error.message.length}`);
      refused++;
    }
  }
  return { taken, refused };
}

parentPort?.postMessage(await tryAll(workerData as FuzzTask));
