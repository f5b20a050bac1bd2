// A hundred thousand wrong files and addresses: each is read or refused in words, in few steps and little memory.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { WeightsError } from "../src/fault.ts";
import { parseModelUri } from "../src/sources/uri.ts";
import type { FuzzResult, FuzzTask } from "./files/fuzz-thread.ts";
import { randomFrom } from "./files/mutate.ts";

/** More with `WEIGHTS_FUZZ=10`. Another start with `WEIGHTS_SEED`. */
const times = Number(process.env.WEIGHTS_FUZZ ?? 1);
const seed = Number(process.env.WEIGHTS_SEED ?? 20_260);

function inThread(workerData: FuzzTask): Promise<FuzzResult> {
  const thread = new Worker(new URL("./files/fuzz-thread.ts", import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a word")));
  });
}

describe("wrong input", () => {
  test("of 50,000 GGUF files none breaks the reader", async () => {
    const { taken, refused } = await inThread({ format: "gguf", count: 50_000 * times, seed });
    assert.ok(taken > 1000 && refused > 10_000, `${taken} were taken, ${refused} refused`);
  });

  test("of 50,000 safetensors files none breaks the reader", async () => {
    const { taken, refused } = await inThread({ format: "safetensors", count: 50_000 * times, seed });
    assert.ok(taken > 100 && refused > 10_000, `${taken} were taken, ${refused} refused`);
  });

  test("of 50,000 addresses none breaks the parser, and none of them names a path outside", () => {
    const random = randomFrom(seed);
    let [taken, refused] = [0, 0];
    for (let i = 0; i < 50_000 * times; i++) {
      const text = Array.from({ length: 1 + random(7) }, () => words[random(words.length)]).join("");
      try {
        checkInside(text);
        taken++;
      } catch (error) {
        if (!(error instanceof WeightsError)) throw new Error(`input ${i}: ${JSON.stringify(text)}`, { cause: error });
        refused++;
      }
    }
    assert.ok(taken > 1000 && refused > 1000, `${taken} were taken, ${refused} refused`);
  });
});

function checkInside(text: string): void {
  const uri = parseModelUri(text);
  const path = uri.scheme === "hub" ? uri.path : uri.scheme === "s3" ? uri.key : undefined;
  const isOutside = (path ?? "").split("/").some((word) => word === ".." || word === ".");
  assert.ok(!isOutside, `${text} names ${path}`);
}

const words = [
  ...["hf://", "s3://", "oci://", "file://", "https://", "http://", "pvc://", "vendor://", "org/repo", "@main", "/"],
  ...["..", "%2e%2e", "%2f", "%00", "%", "é", "\u0000", "\\", "a", "b.gguf", "n/ns/b/bucket/o/", ":", "?x=y", "#"],
  ...["@sha256:", "user:pw@", "[::1]", "bucket", " ", "\u{1f600}", "\ud800", "0".repeat(64), "x".repeat(300)],
];
