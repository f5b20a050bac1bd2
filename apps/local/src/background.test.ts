import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findRunning, stopRunning } from "./background.ts";

test("a record whose process is another program, or none, is not a control plane, and nothing is stopped", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "background-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  assert.equal(findRunning(home), undefined);
  for (const text of [JSON.stringify({ pid: process.pid }), JSON.stringify({ pid: 2 ** 22 + 1 }), "{", "{}"]) {
    writeFileSync(join(home, "run.json"), text);
    assert.equal(findRunning(home), undefined, text);
    assert.equal(await stopRunning(home), undefined, text);
  }
});
