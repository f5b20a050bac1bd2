import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMemory, formatOffered } from "./summarize-memory.ts";

test("what is offered is rounded down, so that a request of the printed amount is met", () => {
  const offered = 22_215_700 * 1024;
  assert.deepEqual([formatMemory(offered), formatOffered(offered)], ["21.2Gi", "21.1Gi"]);
  assert.deepEqual([formatOffered(512), formatOffered(2 ** 30)], ["512", "1.0Gi"]);
});
