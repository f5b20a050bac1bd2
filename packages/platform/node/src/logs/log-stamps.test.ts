import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LogStamps } from "./log-stamps.ts";

test("times of bytes are found, survive, and go with their files", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-stamps-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "stamps");
  const stamps = new LogStamps(path);
  stamps.note("a", 10, 1_000);
  stamps.note("a", 10, 1_500);
  stamps.note("a", 30, 2_000);
  stamps.note("b", 5, 3_000);
  // As a crash in the middle of a line leaves it.
  appendFileSync(path, "b 9");
  for (const each of [stamps, new LogStamps(path)]) {
    assert.deepEqual(
      [0, 9, 10, 29, 30].map((place) => each.timeOf("a", place)),
      [1_000, 1_000, 2_000, 2_000, undefined],
    );
    assert.deepEqual(
      [1, 1_000, 1_001, 2_001].map((since) => each.placeSince("a", since)),
      [0, 0, 10, undefined],
    );
    assert.deepEqual([each.sizeOf("a"), each.sizeOf("b"), each.sizeOf("c")], [30, 5, 0]);
  }
  stamps.retain(new Set(["b"]));
  assert.equal(stamps.timeOf("a", 0), undefined);
  assert.equal(readFileSync(path, "utf8"), "b 5 3000\n");
});
