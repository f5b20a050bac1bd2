import assert from "node:assert/strict";
import { link, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Store } from "../src/index.ts";
import { Layout } from "../src/store/layout.ts";
import { folder } from "./stage.ts";

const key = "0".repeat(16);
const names = ["config", "id_rsa", "f".repeat(64)];

test("a store whose folders lead elsewhere has nothing deleted there", async (t) => {
  // The last leads to a disk that is not mounted: nothing of the store is below it.
  for (const linked of ["blobs/sha256", "models", "partial", "blobs"]) {
    const [home, host] = [await folder(t), await folder(t)];
    const layout = new Layout(join(home, "volume", ".trivium"));
    for (const name of names) await writeFile(join(host, name), "of the host");
    await mkdir(join(layout.root, linked, ".."), { recursive: true });
    await symlink(host, join(layout.root, linked));
    const store = new Store(layout.root);
    const calls = [
      () => store.prune(0),
      () => store.fsck(),
      () => store.abandon("planted"),
      () => store.removeUnused(key),
    ];
    for (const call of calls) await assert.rejects(call, /is a link to another place, so nothing is deleted/);
    assert.deepEqual(await readdir(host), names.toSorted(), linked);
  }
});

test("a link to a disk that is missing is not taken for an empty store", async (t) => {
  const home = await folder(t);
  const layout = new Layout(join(home, ".trivium"));
  await mkdir(layout.root);
  await symlink("/not-mounted/blobs", join(layout.root, "blobs"));
  await assert.rejects(() => new Store(layout.root).fsck(), /is a link to another place, so nothing is deleted/);
});

test("a link on the way to a model's folder does not have another folder deleted", async (t) => {
  const [home, host] = [await folder(t), await folder(t)];
  const volume = join(home, "volume");
  const layout = new Layout(join(volume, ".trivium"));
  await mkdir(join(host, "model"));
  await writeFile(join(host, "model", "id_rsa"), "of the host");
  for (const made of [layout.models, layout.referencesOf(key)]) await mkdir(made, { recursive: true });
  await symlink(host, join(volume, "sub"));
  const shown = join(volume, "sub", "model");
  const manifest = { key, source: "planted", pinned: "planted", include: [], files: [] };
  await writeFile(layout.manifest(key), JSON.stringify(manifest));
  await writeFile(join(layout.referencesOf(key), "view-0"), JSON.stringify({ is: "view", path: shown }));
  await assert.rejects(new Store(layout.root).remove(shown), /a link in its path points outside of/);
  assert.deepEqual(await readdir(join(host, "model")), ["id_rsa"]);
});

test("a store that is a link itself is pruned, and files that are no blobs stay", async (t) => {
  const [home, disk] = [await folder(t), await folder(t)];
  const layout = new Layout(join(home, "weights"));
  await symlink(disk, layout.root);
  await mkdir(layout.blobs, { recursive: true });
  for (const name of names) await writeFile(join(layout.blobs, name), "x");
  assert.equal((await new Store(layout.root).prune(0)).freedBytes, 1);
  assert.deepEqual(await readdir(layout.blobs), ["config", "id_rsa"]);
});

test("a file that two stores share is free when the second one has deleted it", async (t) => {
  const disk = await folder(t);
  const layouts = ["one", "two"].map((name) => new Layout(join(disk, name)));
  const [first, second] = layouts.map(({ blobs }) => join(blobs, "f".repeat(64)));
  for (const { blobs } of layouts) await mkdir(blobs, { recursive: true });
  await writeFile(first!, "shared");
  await link(first!, second!);
  const freed = [];
  for (const { root } of layouts) freed.push((await new Store(root).prune(0)).freedBytes);
  assert.deepEqual(freed, [0, 6]);
});
