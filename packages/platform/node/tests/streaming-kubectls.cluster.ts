import assert from "node:assert/strict";
import { test } from "node:test";
import { findKubectls } from "./find-kubectls.ts";
import { testStreaming } from "./streaming-suite.ts";

/** SPDY alone, and both ways with SPDY as the second; the newest is tried in streaming-kubectl.test.ts. */
const older = findKubectls()
  .slice(1)
  .filter(({ version }) => version === "1.29" || version === "1.31");

test("an older kubectl is on this machine", { skip: older.length === 0 && "there is no kubectl 1.29 or 1.31" }, () => {
  assert.ok(older.length > 0);
});

for (const kubectl of older) testStreaming(kubectl);
