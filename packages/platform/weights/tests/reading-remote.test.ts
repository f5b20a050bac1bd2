// Headers over HTTP: few requests, few bytes, and the right words when a server does not keep its promises.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HubServer } from "@trivium/testkit";
import { WeightsError } from "../src/fault.ts";
import { runProgram } from "../src/program/program.ts";
import { openDiskSource } from "../src/reading/disk-source.ts";
import { readGguf } from "../src/reading/gguf.ts";
import { inspectModel } from "../src/reading/inspect-model.ts";
import { openRemoteSource } from "../src/reading/remote-source.ts";
import { largeHeader, list, smallLlama, text, u32, writeGguf } from "./files/write-gguf.ts";
import { smallSafetensors, writeSafetensors } from "./files/write-safetensors.ts";
import { FileServer } from "./servers/file-server.ts";
import { folder, lookUp } from "./stage.ts";

const signal = new AbortController().signal;
const large = largeHeader(150_000, 300);

async function served(t: TestContext, content: Uint8Array) {
  const server = await new FileServer(Buffer.from(content)).listen();
  t.after(() => server.close());
  const open = async () => openRemoteSource(await lookUp(t, server.url()), signal);
  return { server, open };
}

test("where arrays can be passed over, three ranges and 2 MB are enough however long the header is", async (t) => {
  const numbers = (count: number) =>
    list(
      "f64",
      Array.from({ length: count }, () => ({ type: "f64", value: 1 })),
    );
  const content = writeGguf({
    metadata: [
      ["general.architecture", text("llama")],
      ["a.scores", numbers(510_000)],
      ["b.scores", numbers(480_000)],
      ["general.file_type", u32(7)],
    ],
    tensors: Array.from({ length: 300 }, (_, at) => ({
      name: `blk.${at}.w`,
      dimensions: [32],
      type: 0,
      offset: at * 128,
    })),
    dataBytes: 300 * 128,
  });
  assert.ok(content.length > 7.8e6);
  const { open, server } = await served(t, content);
  const source = await open();
  const header = await readGguf(source);
  assert.equal(header.metadata["general.file_type"], 7);
  assert.equal(header.tensors?.count, 300);
  assert.ok(source.cost.requests <= 3, `${source.cost.requests} requests`);
  assert.ok(server.sent <= 2e6, `${server.sent} bytes sent`);
});

test("facts come with one range, before the vocabulary", async (t) => {
  const { open } = await served(t, large);
  const source = await open();
  const header = await readGguf(source, { depth: "facts" });
  assert.equal(header.endsBefore, "tokenizer.ggml.tokens");
  assert.equal(header.metadata["llama.block_count"], 32);
  assert.equal(source.cost.requests, 1);
  assert.ok(source.cost.bytes <= 300_000);
});

test("a vocabulary is walked in few large steps, and says the same as from a disk", async (t) => {
  const content = large;
  const { open } = await served(t, content);
  const source = await open();
  const header = await readGguf(source);
  assert.ok(source.cost.requests <= 5, `${source.cost.requests} requests`);
  const path = join(await folder(t), "m.gguf");
  await writeFile(path, content);
  const disk = await openDiskSource(path);
  t.after(() => disk.close());
  assert.deepEqual(await readGguf(disk), header);
});

test("a server without ranges is read as one stream, and let go as soon as the header is there", async (t) => {
  const content = Buffer.concat([smallLlama(), Buffer.alloc(32 * 1024 * 1024)]);
  const { open, server } = await served(t, content);
  server.hasRanges = false;
  server.bytesPerSecond = 4 * 1024 * 1024;
  const source = await open();
  assert.equal((await readGguf(source)).tensorCount, 4);
  await source.close();
  assert.equal(server.gets, 1);
  assert.ok(server.sent < 8 * 1024 * 1024, `${server.sent} bytes sent`);
});

test("a file that changes between two ranges is not mixed", async (t) => {
  const { open, server } = await served(t, large);
  const source = await open();
  server.misdeeds.before = (count) => {
    if (count === 2) server.etag = '"v2"';
  };
  await assert.rejects(readGguf(source), { reason: "UpstreamChanged" });
});

test("a connection that breaks is no fault of the file", async (t) => {
  const { open, server } = await served(t, large);
  server.misdeeds.cutAfter = () => 1000;
  await assert.rejects(
    readGguf(await open()),
    (error) => error instanceof WeightsError && error.kind === "unreachable",
  );
});

test("a server that falls silent is not waited for", async (t) => {
  const { server } = await served(t, large);
  server.misdeeds.stallAfter = () => 1000;
  const source = openRemoteSource(await lookUp(t, server.url()), signal, 150);
  await assert.rejects(readGguf(source), { kind: "unreachable", reason: "Stalled" });
});

async function hubOf(t: TestContext, files: Record<string, Uint8Array | string>): Promise<HubServer> {
  const hub = await new HubServer().listen();
  t.after(() => hub.close());
  for (const [path, content] of Object.entries(files))
    hub.files.set(path, { content: Buffer.from(content), isLarge: /\.(gguf|safetensors)$/.test(path) });
  return hub;
}

async function inspect(
  uri: string,
  environment: Record<string, string>,
): Promise<{ code: number; out: string; err: string }> {
  const reported = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({
    write: (words: string) => {
      reported[name] += words;
    },
  });
  const env = { HF_HOME: "/nonexistent", ...environment };
  const code = await runProgram(["inspect", uri, "--json"], {
    environment: env,
    signal,
    out: stream("out"),
    err: stream("err"),
  });
  return { code, ...reported };
}

test("inspect tells what a repository holds without fetching it", async (t) => {
  const index = { weight_map: { a: "model-00001-of-00002.safetensors", b: "model-00002-of-00002.safetensors" } };
  const one = (name: string) => writeSafetensors({ [name]: { dtype: "F16", shape: [2], data_offsets: [0, 4] } }, 4);
  const hub = await hubOf(t, {
    "config.json": JSON.stringify({ model_type: "llama", architectures: ["LlamaForCausalLM"] }),
    "model.safetensors.index.json": JSON.stringify(index),
    "model-00001-of-00002.safetensors": one("a"),
    "model-00002-of-00002.safetensors": one("b"),
    "extra/one.safetensors": smallSafetensors(),
    "small.gguf": smallLlama(),
    "broken.gguf": smallLlama().slice(0, 300),
  });
  const { code, out, err } = await inspect("org/repo", { HF_ENDPOINT: hub.endpoint });
  assert.equal(code, 0, err);
  const { models, config, problems } = JSON.parse(out);
  const observed = models.map(
    ({ path, header }: { path: string; header: { files: number; tensors: { count: number } } }) => [
      path,
      header.files,
      header.tensors.count,
    ],
  );
  assert.deepEqual(observed.sort(), [
    ["extra/one.safetensors", 1, 4],
    ["model.safetensors.index.json", 2, 2],
    ["small.gguf", 1, 4],
  ]);
  assert.equal(config.model_type, "llama");
  assert.equal(problems.length, 1);
  assert.match(problems[0], /broken\.gguf/);
});

test("several ranges of one file of the Hub belong together, whichever mirror sends them", async (t) => {
  const hub = await hubOf(t, { "large.gguf": large });
  const { code, out, err } = await inspect("hf://org/repo/large.gguf", { HF_ENDPOINT: hub.endpoint });
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).models[0].header.metadata["general.file_type"], 15);
  assert.ok(hub.contentRequests.length > 1);
});

test("inspect of one file that is no model ends with the code of refused input", async (t) => {
  const hub = await hubOf(t, { "broken.gguf": smallLlama().slice(0, 300) });
  const { code, err } = await inspect("hf://org/repo/broken.gguf", { HF_ENDPOINT: hub.endpoint });
  assert.equal(code, 2);
  assert.match(err, /InvalidModelFile/);
});

test("a split model whose parts are not all there is a problem that names the missing one", async () => {
  const file = { path: "m-00001-of-00002.gguf", shownAs: "m", open: () => Promise.reject(new Error("not asked")) };
  await assert.rejects(inspectModel([file], { signal }), /m-00002-of-00002.gguf: it is part of the model but missing/);
});
