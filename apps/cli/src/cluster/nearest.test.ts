import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearest, listNearest } from "./nearest.ts";

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

test("the beginning of a word is nearer than a word with other letters", () => {
  const commands = ["get", "ps", "start", "status", "stop", "restart"];
  for (const [word, found] of [
    ["stat", ["status"]],
    ["star", ["start"]],
    ["sta", ["start", "status"]],
    ["stpo", ["stop"]],
    ["gett", ["get"]],
    ["s", ["ps"]],
    ["x".repeat(100_000), []],
  ] as const)
    assert.deepEqual(listNearest(word, commands), found, word.slice(0, 20));
});
