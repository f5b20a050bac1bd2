import assert from "node:assert/strict";
import { test } from "node:test";
import { isAllowed } from "./local-root.ts";
import { parseSource } from "./source.ts";

test("local sources must lie under an allowed folder", () => {
  const table: [string, boolean][] = [
    ["/mnt/models/a", true],
    ["/mnt/models", true],
    ["/mnt/models2/a", false],
    ["/mnt/models/../etc/x", false],
    ["/mnt/./models//a", true],
    ["file:///mnt/models/a", true],
    ["https://h/x", true],
  ];
  for (const [source, allowed] of table)
    assert.equal(isAllowed(parseSource(source), ["/mnt/models/"]), allowed, source);
  assert.equal(isAllowed(parseSource("/mnt/models/a"), []), false);
  assert.equal(isAllowed(parseSource("/x"), ["/"]), true);
});
