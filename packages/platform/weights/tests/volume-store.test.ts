import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { formatFinding } from "../src/store/finding.ts";
import { Layout } from "../src/store/layout.ts";
import type { StoredFile } from "../src/store/manifest.ts";
import { VolumeStore } from "../src/store/volume/volume-store.ts";
import { folder } from "./stage.ts";

const key = "0".repeat(16);
const sha256Of = (content: string): string => createHash("sha256").update(content).digest("hex");
const fileOf = (content: string, path = "x"): StoredFile => ({
  path,
  size: content.length,
  sha256: sha256Of(content),
  version: null,
});

/** A volume as a pod can write it, and the store in it as the machine sees it. */
async function stageVolume(t: TestContext) {
  const volume = join(await folder(t), "volume");
  const layout = new Layout(join(volume, ".trivium"));
  for (const made of [layout.blobs, layout.models, layout.referencesOf(key)]) await mkdir(made, { recursive: true });
  const list = (files: readonly object[], more: object = {}) =>
    writeFile(
      layout.manifest(key),
      JSON.stringify({ key, source: "planted", pinned: "planted", include: [], files, ...more }),
    );
  const store = new VolumeStore(layout.root, volume);
  const problems = async () => (await store.check()).findings.map(({ problem, repair }) => `${problem}; ${repair}`);
  return { volume, layout, list, store, problems };
}

test("a damaged blob in a volume is named, and stays", async (t) => {
  const { layout, list, problems } = await stageVolume(t);
  const [whole, other, short] = [fileOf("whole"), fileOf("other"), fileOf("short")];
  await list([whole, other, short, fileOf("gone")]);
  await writeFile(layout.blob(whole.sha256), "whole");
  await writeFile(layout.blob(other.sha256), "OTHER");
  await writeFile(layout.blob(short.sha256), "sho");
  const remedy = "delete this file, and it is downloaded again when needed";
  assert.deepEqual(await problems(), [
    `blob-corrupt; its SHA-256 is ${sha256Of("OTHER")}; ${remedy}`,
    `blob-corrupt; its size is 3 instead of 5; ${remedy}`,
    "blob-missing; download the model again",
  ]);
  assert.equal((await readdir(layout.blobs)).length, 3);
  assert.equal((await readdir(layout.models)).length, 1);
});

test("links and pipes in the place of blobs are neither followed nor waited for", async (t) => {
  const { volume, layout, list, problems } = await stageVolume(t);
  const [linked, pipe, made] = [fileOf("linked"), fileOf("pipe"), fileOf("folder")];
  await list([linked, pipe, made]);
  await writeFile(join(volume, "linked"), "linked");
  await symlink(join(volume, "linked"), layout.blob(linked.sha256));
  execFileSync("mkfifo", [layout.blob(pipe.sha256)]);
  await mkdir(layout.blob(made.sha256));
  const found = await problems();
  assert.equal(found.length, 3);
  for (const problem of found) assert.match(problem, /^blob-corrupt; it is not a regular file; /);
});

test("what no model lists is not read, whatever its name", async (t) => {
  const { layout, list, problems } = await stageVolume(t);
  await list([]);
  for (const name of ["0".repeat(64), "x\nid_rsa: blob-corrupt; removed", "\u001b[2J"]) {
    await writeFile(join(layout.blobs, name), "");
    await truncate(join(layout.blobs, name), 2 ** 40);
  }
  assert.deepEqual(await problems(), []);
  assert.equal((await readdir(layout.blobs)).length, 3);
});

test("files of a TiB that take no space are not read, one by one or together", { timeout: 60_000 }, async (t) => {
  const { layout, list, problems } = await stageVolume(t);
  const sizes = [2 ** 40, ...Array.from({ length: 40 }, () => 2 ** 30 - 2 ** 20)];
  const files = sizes.map((size, index) => ({ ...fileOf(`hole ${index}`), size }));
  await list(files);
  for (const { sha256, size } of files) {
    await writeFile(layout.blob(sha256), "");
    await truncate(layout.blob(sha256), size);
  }
  const found = await problems();
  assert.equal(found[0], "unchecked; most of this file is a hole; delete it");
  assert.deepEqual(
    found.map((problem) => problem.split(";")[0]),
    files.map((_, index) => (index === 1 ? "blob-corrupt" : "unchecked")),
  );
});

test("a file with many names is read once, and is whole under one of them only", async (t) => {
  const { layout, list, problems } = await stageVolume(t);
  const [real, ...others] = ["12345", "abcde", "fghij"].map((content) => fileOf(content)) as [StoredFile, StoredFile];
  await list([real, ...others]);
  await writeFile(layout.blob(real.sha256), "12345");
  for (const { sha256 } of others) await link(layout.blob(real.sha256), layout.blob(sha256));
  const found = await problems();
  assert.equal(found.length, 2);
  for (const problem of found) assert.match(problem, new RegExp(`its SHA-256 is ${real.sha256};`));
});

test("views in the volume are compared, those elsewhere are not, and no record is forgotten", async (t) => {
  const { volume, layout, list, store, problems } = await stageVolume(t);
  const [view, host] = [join(volume, "view"), await folder(t)];
  await mkdir(view);
  await symlink(host, join(volume, "link"));
  await list([fileOf("whole")]);
  await writeFile(layout.blob(sha256Of("whole")), "whole");
  const record = join(layout.referencesOf(key), "view-0");
  const point = (path: string) => writeFile(record, JSON.stringify({ is: "view", path }));
  for (const path of [host, join(volume, "link"), join(volume, "gone")]) {
    await point(path);
    assert.deepEqual(await problems(), [], path);
  }
  assert.deepEqual(await store.references(key), []);
  assert.ok((await readFile(record, "utf8")).includes("gone"));
  await point(view);
  assert.deepEqual(await problems(), ["view-broken; not the file of the store; restart what uses it"]);
  assert.deepEqual(await readdir(view), []);
  await link(layout.blob(sha256Of("whole")), join(view, "x"));
  assert.deepEqual(await problems(), []);
});

test("a record with a size that is no number, or a source that is no text, is no model", async (t) => {
  const { list, store } = await stageVolume(t);
  for (const size of ["1", -1, 1.5, null, {}, 2 ** 60]) {
    await list([{ ...fileOf("x"), size }]);
    assert.deepEqual(await store.list(), [], JSON.stringify(size));
  }
  for (const more of [{ source: 1 }, { pinned: null }, { include: "x" }, { include: [1] }]) {
    await list([fileOf("x")], more);
    assert.deepEqual(await store.list(), [], JSON.stringify(more));
  }
  await list([fileOf("x")]);
  assert.equal((await store.list()).length, 1);
});

test("no name of a pod writes a line of the report", async (t) => {
  const { layout, list, store } = await stageVolume(t);
  await list([fileOf("gone")], { source: "a\n1 model verified, no damage\r\u001b[1A\u2028\u202e" });
  await rm(layout.blob(sha256Of("gone")), { force: true });
  const lines = (await store.check()).findings.map(formatFinding);
  assert.deepEqual(lines, [
    "a\\u000a1 model verified, no damage\\u000d\\u001b[1A\\u2028\\u202e/x: blob-missing; download the model again",
  ]);
});
