// The real llama.cpp as the judge of our sums: what it allocates for the demo model against what we plan for it.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CacheType, MemoryTerm } from "@trivium/domain";
import { parseGgufFacts, planMemory, type SizedModel, servingStyles, summarizeGguf } from "@trivium/engines";
import { openDiskSource } from "../src/reading/disk-source.ts";
import { readGguf } from "../src/reading/gguf.ts";

const demo = join(import.meta.dirname, "../../../../examples/models/demo/demo.gguf");
const mebibyte = 1024 * 1024;

interface Case {
  readonly context: number;
  readonly slots: number;
  readonly cache: CacheType;
  readonly batch: number;
  readonly flash: "on" | "off";
}

const cases: readonly Case[] = [
  { context: 512, slots: 1, cache: "f16", batch: 512, flash: "off" },
  { context: 512, slots: 1, cache: "f16", batch: 512, flash: "on" },
  { context: 2048, slots: 1, cache: "q8_0", batch: 256, flash: "on" },
  { context: 512, slots: 4, cache: "f16", batch: 128, flash: "off" },
];

test("what we plan for the demo model is what llama.cpp takes", { timeout: 60_000 }, async (t) => {
  if (!existsSync(demo)) return t.skip("skipped: examples/models/demo/demo.gguf is not there");
  const library = libraryPath();
  if (library === undefined) return t.skip("skipped: @fugood/llama.node is not installed");
  const source = await openDiskSource(demo);
  t.after(() => source.close());
  const header = await readGguf(source);
  assert.equal(summarizeGguf(header).quantization, "Q8_0");
  const { shape, parameters } = parseGgufFacts(header);
  assert.ok(shape !== undefined && header.tensors !== undefined);
  assert.equal(parameters?.count, 2_767_296);
  const model: SizedModel = { weightBytes: header.tensors.bytes, shape, tensors: header.tensors };
  for (const one of cases) {
    const log = await loadLog(t, library, one);
    const plan = planMemory({
      model,
      context: one.context,
      slots: one.slots,
      cache: { key: one.cache, value: one.cache },
      split: { tensor: 1, pipeline: 1 },
      style: { ...servingStyles.llamacpp, batch: one.batch, attention: one.flash === "on" ? "flash" : "matrix" },
      memory: { devices: [] },
    });
    assert.equal(plan.is, "sized");
    const terms = plan.is === "sized" ? (plan.shares[0]?.terms ?? []) : [];
    near(bytesOf(terms, "cache"), figure(log, /KV buffer size = +([\d.]+) MiB/), 0.01 * mebibyte, JSON.stringify(one));
    near(bytesOf(terms, "weights"), figure(log, /model buffer size = +([\d.]+) MiB/), 0.01 * mebibyte, "weights");
    const compute = figure(log, /compute buffer size = +([\d.]+) MiB/);
    const planned = bytesOf(terms, "compute");
    assert.ok(
      planned >= compute * 0.95 && planned <= compute * 1.6,
      `${JSON.stringify(one)}: ${planned} for ${compute}`,
    );
  }
});

function libraryPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("@fugood/llama.node");
  } catch {
    return undefined;
  }
}

/** Loads the model in a process of its own, which is ended as soon as it has said enough: its native threads outlive a return. */
async function loadLog(t: TestContext, library: string, one: Case): Promise<string> {
  const options = {
    model: demo,
    n_ctx: one.context * one.slots,
    n_parallel: one.slots,
    n_threads: 1,
    n_gpu_layers: 0,
    flash_attn_type: one.flash,
    cache_type_k: one.cache,
    cache_type_v: one.cache,
    n_batch: one.batch,
    n_ubatch: one.batch,
  };
  const script = `
    const { toggleNativeLog, addNativeLogListener, loadModel } = require(${JSON.stringify(library)});
    addNativeLogListener((level, text) => process.stdout.write(text));
    toggleNativeLog(true).then(() => loadModel(${JSON.stringify(options)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => child.kill("SIGKILL"));
  try {
    return await until(child, /compute buffer size = +[\d.]+ MiB/);
  } finally {
    child.kill("SIGKILL");
  }
}

function until(child: ChildProcess, end: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let reported = "";
    child.stdout?.on("data", (chunk) => {
      reported += chunk;
      if (end.test(reported)) resolve(reported);
    });
    child.on("error", reject);
    child.on("close", () => reject(new Error(`llama.cpp ended early: ${reported.slice(-500)}`)));
  });
}

function figure(log: string, pattern: RegExp): number {
  return Number(pattern.exec(log)?.[1]) * mebibyte;
}

function bytesOf(terms: readonly MemoryTerm[], what: MemoryTerm["what"]): number {
  return terms.filter((term) => term.what === what).reduce((sum, { bytes }) => sum + bytes, 0);
}

function near(ours: number, theirs: number, within: number, what: string): void {
  assert.ok(Math.abs(ours - theirs) <= within, `${what}: we say ${ours}, llama.cpp took ${theirs}`);
}
