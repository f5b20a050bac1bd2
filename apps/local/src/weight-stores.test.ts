import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
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
async function plant(store: string, view: string): Promise<void> {
  const [key, content] = ["0".repeat(16), "planted"];
  const sha256 = createHash("sha256").update(content).digest("hex");
  for (const path of ["blobs/sha256", "models", `references/${key}`])
    await mkdir(join(store, path), { recursive: true });
  await writeFile(join(store, "blobs/sha256", sha256), content);
  const files = [{ path: "x", size: content.length, sha256, version: null }];
  const manifest = { key, source: "planted", pinned: "planted", include: [], files };
  await writeFile(join(store, "models", `${key}.json`), JSON.stringify(manifest));
  await writeFile(join(store, "references", key, "view-0"), JSON.stringify({ is: "view", path: view }));
}

test("the check of all weights repairs inside of a volume and leaves other files of the machine alone", async (t) => {
  const [home, host] = [await folder(t), await folder(t)];
  await writeFile(join(host, "x"), "of the host");
  const [good, bad] = [join(home, "volumes", "good"), join(home, "volumes", "bad")];
  await mkdir(join(good, "view"), { recursive: true });
  await plant(join(good, "models", ".trivium"), join(good, "view"));
  await plant(join(bad, ".trivium"), host);
  const { models, findings } = await verifyStores(home);
  assert.equal(models, 2);
  assert.deepEqual(
    findings.map(({ problem }) => problem),
    ["view-broken"],
  );
  assert.equal(await readFile(join(good, "view", "x"), "utf8"), "planted");
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

test("a volume whose store cannot be checked is reported, and the other stores are checked all the same", async (t) => {
  const home = await folder(t);
  const [good, bad] = [join(home, "volumes", "good"), join(home, "volumes", "bad")];
  await mkdir(join(good, "view"), { recursive: true });
  await plant(join(good, ".trivium"), join(good, "view"));
  // A folder in the place of a file: it is damaged, and cannot be removed as one.
  await mkdir(join(bad, ".trivium", "blobs", "sha256", "0".repeat(64), "inside"), { recursive: true });
  const { models, findings } = await verifyStores(home);
  assert.equal(models, 1);
  assert.deepEqual(
    findings.map(({ path, problem }) => [path, problem]),
    [
      [join(bad, ".trivium"), "unchecked"],
      [join(good, "view", "x"), "view-broken"],
    ],
  );
});
