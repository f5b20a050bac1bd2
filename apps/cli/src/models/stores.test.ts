import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { removeModel } from "./stores.ts";

/** A home whose store has one model that a folder is said to show. */
async function homeWith(t: TestContext, viewIn: (home: string) => string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "models-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const [store, key, path] = [join(home, "weights"), "0".repeat(16), viewIn(home)];
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
