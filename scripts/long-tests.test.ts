import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong, longTests } from "./long-tests.ts";
import { findTestFiles } from "./run-tests.ts";

const files = findTestFiles();

test("each line of the long tests names a file", () => {
  const lines = Object.keys(longTests);
  assert.deepEqual(
    lines.filter((start) => !files.some((path) => path.startsWith(start))),
    [],
  );
});

test("a plain npm test has tests of every package and app", () => {
  const packageOf = (path: string) => /^(packages\/\w+\/[\w-]+|apps\/\w+)\//.exec(path)?.[1];
  const all = new Set(files.map(packageOf));
  const plain = new Set(files.filter((path) => !isLong(path)).map(packageOf));
  assert.deepEqual([...plain].sort(), [...all].sort());
});
