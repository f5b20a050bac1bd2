import assert from "node:assert/strict";
import { test } from "node:test";
import { isQuiet } from "./quiet.ts";

test("an unset variable, an empty one and 0 are not quiet", () => {
  assert.equal(isQuiet({}), false);
  for (const [value, expected] of [
    ["", false],
    ["0", false],
    ["1", true],
    ["yes", true],
  ] as const)
    assert.equal(isQuiet({ TRIVIUM_QUIET: value }), expected, value);
});
