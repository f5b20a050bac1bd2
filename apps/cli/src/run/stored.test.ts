import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isStored } from "./stored.ts";

test("weights that a service of the namespace finds need no download", async (t) => {
  const home = await mkdtemp(join(tmpdir(), "stored-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const store = join(home, "volumes/pvc-0_team-a_llmkube-model-cache/.trivium");
  await mkdir(join(store, "models"), { recursive: true });
  const key = "0".repeat(16);
  const files = [{ path: "a-Q8_0.gguf", size: 7, sha256: "0".repeat(64), version: null }];
  const manifest = { key, source: "hf://org/repo/a-Q8_0.gguf", pinned: "x", include: [], files };
  await writeFile(join(store, "models", `${key}.json`), JSON.stringify(manifest));
  const model = { source: "hf://org/repo", files: ["a-Q8_0.gguf"], download: 7 };
  assert.equal(await isStored(model, home, "team-a"), true);
  assert.equal(await isStored(model, home, "team-b"), false, "its claim is of another namespace");
  assert.equal(await isStored({ ...model, files: ["a-Q4_0.gguf"] }, home, "team-a"), false);
  assert.equal(await isStored({ ...model, download: 8 }, home, "team-a"), false, "the repository has changed");
});
