import assert from "node:assert/strict";
import { renameSync, symlinkSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { describeStored } from "@trivium/local";
import { listModels, pruneModels, removeModel, verifyModels } from "./stores.ts";

/** A home whose store has one model that a folder is said to show. */
async function homeWith(t: TestContext, viewIn: (home: string) => string, storeIn = "weights"): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "models-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const [store, key, path] = [join(home, storeIn), "0".repeat(16), viewIn(home)];
  for (const made of [join(store, "models"), join(store, "references", key), join(home, "models", "pulled"), path])
    await mkdir(made, { recursive: true });
  await writeFile(join(path, "precious"), "");
  const manifest = { key, source: "demo", pinned: "demo", include: [], files: [] };
  await writeFile(join(store, "models", `${key}.json`), JSON.stringify(manifest));
  await writeFile(join(store, "references", key, "view-0"), JSON.stringify({ is: "view", path }));
  return home;
}

test("the removal of a model deletes what was pulled, and no folder that only looks like it", async (t) => {
  const climbing = await homeWith(t, (home) => `${home}/models/pulled/../../x`);
  await removeModel("demo", { home: climbing });
  assert.deepEqual(await readdir(join(climbing, "x")), ["precious"]);

  for (const other of ["models/pulled-by-hand/x", "models/pulled"]) {
    const home = await homeWith(t, (each) => join(each, other));
    await assert.rejects(removeModel("demo", { home }), /demo is used by .*delete the service or model first/);
    assert.deepEqual(await readdir(join(home, other)), ["precious"]);
  }

  const home = await homeWith(t, (each) => join(each, "models/pulled/x"));
  await writeFile(join(home, "weights", "references", "0".repeat(16), "view-1"), "{}");
  assert.match(await removeModel("demo", { home }), /^removed demo/);
  assert.deepEqual(await readdir(join(home, "models", "pulled")), []);
});

test("weights in a claim name the claim, and what deletes them", async (t) => {
  const volume = "volumes/pvc-4ce8943c-5d78_default_llmkube-model-cache";
  const home = await homeWith(t, (each) => join(each, volume, "0041"), `${volume}/.trivium`);
  assert.match(await listModels({ home, output: "table" }), / claim default\/llmkube-model-cache +0{12}\n$/);
  const remedy = /deleted some minutes after .*: kubectl delete pvc llmkube-model-cache --namespace default$/;
  await assert.rejects(removeModel("demo", { home }), remedy);
  assert.deepEqual(await readdir(join(home, volume, "0041")), ["precious"]);
});

test("weights that were pulled and are in a claim too: what was pulled is removed", async (t) => {
  const volume = "volumes/pvc-4ce8943c-5d78_default_llmkube-model-cache";
  const home = await homeWith(t, (each) => join(each, "models/pulled/x"));
  const inClaim = await homeWith(t, (each) => join(each, volume, "0041"), `${volume}/.trivium`);
  await cp(join(inClaim, "volumes"), join(home, "volumes"), { recursive: true });
  const removed = /^removed demo, freed/;
  assert.match(await removeModel("0".repeat(12), { home }), removed);
  assert.deepEqual(await readdir(join(home, "models", "pulled")), []);
  assert.deepEqual(await readdir(join(home, volume, "0041")), ["precious"]);
  await assert.rejects(removeModel("demo", { home }), /demo is (used by|in PersistentVolumeClaim|in the volume) /);
});

test("a download that stopped half-way is listed with what it takes, in a claim too", async (t) => {
  const volume = "volumes/pvc-4ce8943c-5d78_default_llmkube-model-cache";
  const home = await homeWith(t, (each) => join(each, volume, "0041"), `${volume}/.trivium`);
  const [store, key] = [join(home, volume, ".trivium"), "1".repeat(16)];
  await mkdir(join(store, "partial", key), { recursive: true });
  await writeFile(join(store, "partial", key, "a.part"), Buffer.alloc(1024 ** 2, 1));
  await writeFile(join(store, "models", `${key}.pending`), JSON.stringify({ source: "hf://org/repo", blobs: [] }));
  assert.match(
    await listModels({ home, output: "table" }),
    /^hf:\/\/org\/repo +1\.0Mi +\d+m?s +unfinished download +1{12}$/m,
  );
  assert.equal(
    await describeStored(home),
    "1 downloaded model, 0; 1 unfinished download, 1.0Mi; trivium models ls lists them",
  );
});

test("a repository is the same with and without hf://", async (t) => {
  const home = await homeWith(t, (each) => join(each, "models/pulled/x"));
  const stored = join(home, "weights", "models", `${"0".repeat(16)}.json`);
  await writeFile(stored, (await readFile(stored, "utf8")).replace('"source":"demo"', '"source":"org/repo"'));
  await assert.rejects(removeModel("hf://org/other", { home }), /not found/);
  assert.match(await removeModel("hf://org/repo", { home }), /^removed org\/repo/);
});

test("what a pod writes into its volume makes no command delete a folder that was pulled", async (t) => {
  const home = await homeWith(t, (each) => join(each, "models/pulled/x"), "volumes/bad/.trivium");
  await assert.rejects(removeModel("demo", { home }), /demo is in the volume .*volumes\/bad; delete the claim/);
  assert.equal(
    await pruneModels({ home }),
    "removed 0 models, freed 0; 1 model kept in volumes: removed some minutes after the last model that uses them, or with their claims",
  );
  assert.deepEqual(await readdir(join(home, "models", "pulled", "x")), ["precious"]);
});

test("a pod that puts a link in the place of its blobs gets no file deleted by prune", async (t) => {
  const home = await homeWith(t, (each) => join(each, "x"), "volumes/bad/.trivium");
  const blobs = join(home, "volumes/bad/.trivium/blobs/sha256");
  await mkdir(blobs, { recursive: true });
  const pruning = pruneModels({ home });
  renameSync(blobs, `${blobs}-moved`);
  symlinkSync(join(home, "x"), blobs);
  await pruning;
  assert.deepEqual(await readdir(join(home, "x")), ["precious"]);
});

test("a name that a pod chose is one line of each list", async (t) => {
  const volume = "volumes/bad/a\nb: verified\u001b[2J";
  const home = await homeWith(t, (each) => join(each, "volumes/bad/x\ny"), `${volume}/.trivium`);
  const files = [{ path: "x", size: 1, sha256: "0".repeat(64), version: null }];
  const manifest = { key: "0".repeat(16), source: "demo\ndemo", pinned: "demo", include: [], files };
  await writeFile(join(home, volume, ".trivium/models", `${"0".repeat(16)}.json`), JSON.stringify(manifest));
  await mkdir(join(home, volume, ".trivium/blobs/sha256", "0".repeat(64)), { recursive: true });
  const before = process.exitCode;
  const report = await verifyModels({ home });
  process.exitCode = before;
  const lines = report.split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /a\\u000ab: verified\\u001b\[2J\/.*: blob-corrupt; it is not a regular file/);
  assert.match(lines[1] ?? "", /x\\u000ay\/x: view-broken/);
  assert.equal((await listModels({ home, output: "table" })).trimEnd().split("\n").length, 2);
});
