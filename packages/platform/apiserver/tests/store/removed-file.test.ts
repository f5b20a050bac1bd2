import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../src/store/index.ts";
import { StoreWriteFailed } from "../../src/store/store.ts";
import { names, put, temporaryDirectory } from "./fixture.ts";

test("when its file is taken away, the store acknowledges nothing until it is back", async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await put(store, "a/kept");
  const path = join(directory, "store.db");
  renameSync(path, `${path}.away`);
  await assert.rejects(put(store, "a/lost"), (error: Error) => {
    assert.ok(error instanceof StoreWriteFailed);
    assert.match(String(error.message), /store\.db was removed or replaced while in use/);
    return true;
  });
  renameSync(`${path}.away`, path);
  await put(store, "a/later");
  assert.deepEqual(names(store.list("pods")), ["a/kept", "a/later"]);
  await store.close();
});
