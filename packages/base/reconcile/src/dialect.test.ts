import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDialectNames } from "./dialect.ts";

const names = ["aim", "ome", "llmkube"];

test("a list of dialects is taken in their own order, each once", () => {
  assert.deepEqual(parseDialectNames("aim", names), ["aim"]);
  assert.deepEqual(parseDialectNames("llmkube, aim,aim", names), ["aim", "llmkube"]);
});

test("what is no dialect is named", () => {
  for (const [text, word] of [
    ["", ""],
    ["aim,", ""],
    ["aim,kserve", "kserve"],
    ["AIM", "AIM"],
    ["aim ome", "aim ome"],
  ])
    assert.equal(
      parseDialectNames(text ?? "", names),
      `"${word}" is not one of aim, ome, llmkube; use one or more, separated by commas`,
    );
});
