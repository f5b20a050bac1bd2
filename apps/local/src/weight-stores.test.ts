import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { renameSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { verifyStores, weightStoreFolders } from "./weight-stores.ts";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "weight-stores-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A store as a pod can write it: a model of the file `x`, and a folder that is said to show it. */
async function plant(store: string, view: string, listed: object = {}): Promise<void> {
  const [key, content] = ["0".repeat(16), "planted"];
  const sha256 = createHash("sha256").update(content).digest("hex");
  for (const path of ["blobs/sha256", "models", `references/${key}`])
    await mkdir(join(store, path), { recursive: true });
  await writeFile(join(store, "blobs/sha256", sha256), content);
  const files = [{ path: "x", size: content.length, sha256, version: null, ...listed }];
  const manifest = { key, source: "planted", pinned: "planted", include: [], files };
  await writeFile(join(store, "models", `${key}.json`), JSON.stringify(manifest));
  await writeFile(join(store, "references", key, "view-0"), JSON.stringify({ is: "view", path: view }));
}

test("the check of all weights repairs the store of the node, and changes nothing in volumes", async (t) => {
  const [home, host] = [await folder(t), await folder(t)];
  await writeFile(join(host, "x"), "of the host");
  const [good, bad] = [join(home, "volumes", "good"), join(home, "volumes", "bad")];
  const [own, shown] = [join(home, "shown"), join(good, "view")];
  for (const made of [own, shown]) await mkdir(made, { recursive: true });
  await plant(join(home, "weights"), own);
  await plant(join(good, "models", ".trivium"), shown);
  await plant(join(bad, ".trivium"), host);
  const { models, findings } = await verifyStores(home);
  assert.equal(models, 3);
  assert.deepEqual(
    findings.map(({ path, problem }) => [path, problem]),
    [own, shown].map((view) => [join(view, "x"), "view-broken"]),
  );
  assert.equal(await readFile(join(own, "x"), "utf8"), "planted");
  assert.deepEqual(await readdir(shown), []);
  assert.equal(await readFile(join(host, "x"), "utf8"), "of the host");
});

test("a link in a volume makes no other folder of the machine a store", async (t) => {
  const [home, host] = [await folder(t), await folder(t)];
  await writeFile(join(host, "x"), "of the host");
  await mkdir(join(host, ".trivium"));
  const volume = join(home, "volumes", "bad");
  await mkdir(join(volume, ".trivium", "blobs"), { recursive: true });
  await symlink(host, join(volume, ".trivium", "blobs", "sha256"));
  await symlink(host, join(volume, "sub"));
  assert.deepEqual(weightStoreFolders(home), [join(home, "weights")]);
  assert.deepEqual((await verifyStores(home)).findings, []);
  assert.deepEqual((await readdir(host)).sort(), [".trivium", "x"]);
});

test("a store that cannot be checked is reported, and the other stores are checked all the same", async (t) => {
  const home = await folder(t);
  const volume = join(home, "volumes", "good");
  await mkdir(join(volume, "view"), { recursive: true });
  await plant(join(volume, ".trivium"), join(volume, "view"));
  // A folder in the place of a file: it is damaged, and cannot be removed as one.
  await mkdir(join(home, "weights", "blobs", "sha256", "0".repeat(64), "inside"), { recursive: true });
  const { models, findings } = await verifyStores(home);
  assert.equal(models, 1);
  assert.deepEqual(
    findings.map(({ path, problem }) => [path, problem]),
    [
      [join(home, "weights"), "unchecked"],
      [join(volume, "view", "x"), "view-broken"],
    ],
  );
});

test("a pod that puts a link in the place of its store's folders after they were looked at gets no file deleted", async (t) => {
  for (const swapped of ["blobs/sha256", "models", "leases", `references/${"0".repeat(16)}`, ""]) {
    const [home, host] = [await folder(t), await folder(t)];
    const names = ["id_rsa", "config", "f".repeat(64), "x.pending", "x.json.new", "view-0", `${"0".repeat(16)}.json`];
    for (const name of names) await writeFile(join(host, name), "of the host");
    const store = join(home, "volumes", "bad", ".trivium");
    await plant(store, join(home, "gone"));
    await mkdir(join(store, "leases"));
    const checking = verifyStores(home);
    // The places of the stores were looked at before this line, and nothing of them was read yet.
    renameSync(join(store, swapped), join(home, "moved"));
    symlinkSync(host, join(store, swapped));
    await checking;
    assert.deepEqual((await readdir(host)).sort(), names.sort(), swapped);
    for (const name of names) assert.equal(await readFile(join(host, name), "utf8"), "of the host");
  }
});

test("a pod that swaps a folder while its blob is read gets no file deleted", async (t) => {
  const [home, host] = [await folder(t), await folder(t)];
  await writeFile(join(host, "id_rsa"), "of the host");
  const store = join(home, "volumes", "bad", ".trivium");
  await plant(store, join(home, "gone"), { sha256: "0".repeat(64), size: 2 ** 29 });
  const blob = join(store, "blobs", "sha256", "0".repeat(64));
  await writeFile(blob, "");
  await truncate(blob, 2 ** 29);
  const checking = verifyStores(home);
  await new Promise((resolve) => setTimeout(resolve, 50));
  renameSync(join(store, "blobs", "sha256"), join(store, "blobs", "old"));
  symlinkSync(host, join(store, "blobs", "sha256"));
  await checking;
  assert.deepEqual(await readdir(host), ["id_rsa"]);
});
