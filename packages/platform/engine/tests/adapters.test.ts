import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startServer, type TestServer } from "./support/server.ts";
import { float, writeModel } from "./support/write-model.ts";

let folder: string;
let server: TestServer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "adapters-"));
  const files = [1, 2].map((seed) => join(folder, `style-${seed}.gguf`));
  for (const [at, file] of files.entries()) writeFileSync(file, adapter(at + 1));
  const flags = files.flatMap((file) => ["--lora", file]);
  server = await startServer({ args: ["--parallel", "3", ...flags, "--lora-init-without-apply"] });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const textWith = async (lora?: readonly object[]): Promise<string> => {
  const body = { prompt: "Once upon a time", n_predict: 24, temperature: 0, ...(lora === undefined ? {} : { lora }) };
  const { status, json } = await server.post("/completion", body);
  assert.equal(status, 200, JSON.stringify(json));
  return json.content as string;
};

test("a request gets the adapters that it lists, alone and beside others", async () => {
  const listed = await server.get("/lora-adapters");
  assert.deepEqual(
    (JSON.parse(listed.text) as { id: number; scale: number }[]).map(({ id, scale }) => ({ id, scale })),
    [
      { id: 0, scale: 0 },
      { id: 1, scale: 0 },
    ],
  );
  const plain = await textWith();
  const first = await textWith([{ id: 0, scale: 1 }]);
  const second = await textWith([{ id: 1, scale: 1 }]);
  assert.equal(await textWith([]), plain);
  assert.equal(new Set([plain, first, second]).size, 3, "each adapter changes the text");
  const together = [textWith(), textWith([{ id: 0, scale: 1 }]), textWith([{ id: 1 }])];
  assert.deepEqual(await Promise.all(together), [plain, first, second]);
  // What a slot keeps of one adapter is of no use to another.
  for (const [lora, text] of [
    [[{ id: 0, scale: 1 }], first],
    [undefined, plain],
    [[{ id: 1, scale: 1 }], second],
  ] as const)
    assert.equal(await textWith(lora), text);
});

test("what is no list of adapters is refused", async () => {
  for (const lora of ["x", [7], [{ id: 2 }], [{ id: -1 }], [{ id: 0.5 }], [{ id: 0, scale: "big" }]])
    assert.equal(
      (await server.post("/completion", { prompt: "x", n_predict: 1, lora })).status,
      400,
      JSON.stringify(lora),
    );
});

/** A LoRA of the demo with random weights: one matrix, rank 4. */
function adapter(seed: number): Buffer {
  const width = 192;
  const rank = 4;
  const fields = {
    "general.type": "adapter",
    "general.architecture": "llama",
    "adapter.type": "lora",
    "adapter.lora.alpha": float(32),
  };
  const values = (start: number) => (at: number) => Math.sin((start + at + 1) * seed * 12.9898) * 0.7;
  return writeModel(fields, [
    { name: "blk.0.attn_q.weight.lora_a", shape: [width, rank], values: values(0) },
    { name: "blk.0.attn_q.weight.lora_b", shape: [rank, width], values: values(width * rank) },
  ]);
}
