import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesAny } from "./glob.ts";

test("globs are those of the Hub's clients", () => {
  const cases: [string, string, boolean][] = [
    ["*.gguf", "a.gguf", true],
    ["*.gguf", "sub/a.gguf", true],
    ["*.gguf", "a.gguf.txt", false],
    ["sub/", "sub/a", true],
    ["sub/", "subway", false],
    ["model-?????-of-*.safetensors", "model-00001-of-00002.safetensors", true],
    ["a.b", "axb", false],
    ["a[1].bin", "a[1].bin", true],
    ["*", "anything/at/all", true],
  ];
  for (const [pattern, path, isMatch] of cases) assert.equal(matchesAny([pattern], path), isMatch, `${pattern} ${path}`);
  assert.equal(matchesAny([], "a"), false);
});

test("a hostile pattern does not hang", () => {
  assert.equal(matchesAny(["*".repeat(500) + "b"], "a".repeat(500)), false);
});
