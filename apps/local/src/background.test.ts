import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunning, startInBackground, stopRunning } from "./background.ts";

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

test("a start that is stopped leaves no process behind", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "background-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, "pid");
  // A program that never becomes ready.
  const script = `require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`;
  const stop = new AbortController();
  const program = [process.execPath, "-e", script, "--"];
  const started = startInBackground({ home, args: [], program, signal: stop.signal });
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(20);
  stop.abort();
  assert.equal(await started, undefined);
  assert.throws(() => process.kill(Number(readFileSync(file, "utf8")), 0), { code: "ESRCH" });
});
