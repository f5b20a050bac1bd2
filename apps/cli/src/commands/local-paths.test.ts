import assert from "node:assert/strict";
import { relative } from "node:path";
import { test } from "node:test";
import { withLocalPaths } from "./local-paths.ts";

const file = relative(process.cwd(), import.meta.filename);

test("an existing path is a file of this machine, and may be read", () => {
  const read = [import.meta.filename, "--allow-root", import.meta.filename];
  assert.deepEqual(withLocalPaths(["inspect", file]), ["inspect", ...read]);
  assert.deepEqual(withLocalPaths(["inspect", "--json", file]), ["inspect", "--json", ...read]);
});

test("everything else stays as it is", () => {
  for (const words of [
    [],
    ["ls"],
    ["inspect"],
    ["inspect", "org/repo"],
    ["inspect", "hf://org/repo"],
    ["inspect", "org/repo", "--allow-root", file],
    ["fetch", file],
  ])
    assert.deepEqual(withLocalPaths(words), words);
});
