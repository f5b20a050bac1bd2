import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearest } from "./nearest.ts";

test("a misspelt word gets the nearest one, and a foreign word none", () => {
  const names = ["chat", "code", "embeddings", "aimservice"];
  for (const [word, found] of [
    ["chta", "chat"],
    ["Chat", "chat"],
    ["embedings", "embeddings"],
    ["aimservices", "aimservice"],
    ["cod", "code"],
    ["llama", undefined],
    ["", undefined],
  ] as const)
    assert.equal(findNearest(word, names), found, word);
});
