import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
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
  for (const [pattern, path, isMatch] of cases)
    assert.equal(matchesAny([pattern], path), isMatch, `${pattern} ${path}`);
  assert.equal(matchesAny([], "a"), false);
});

test("a hostile pattern does not hang", () => {
  assert.equal(matchesAny([`${"*a".repeat(200)}b`], "a".repeat(1000)), false);
  assert.equal(matchesAny([`${"*".repeat(500)}b`], "a".repeat(1000)), false);
});

test("a wildcard pattern agrees with the expression it stands for", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "*", "?"), maxLength: 8 });
  const paths = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 8 });
  fc.assert(
    fc.property(letters, paths, (pattern, path) => {
      const whole = pattern.endsWith("/") ? `${pattern}*` : pattern;
      const expression = new RegExp(`^${whole.replaceAll("*", ".*").replaceAll("?", ".")}$`);
      assert.equal(matchesAny([pattern], path), expression.test(path));
    }),
    { numRuns: 1000 },
  );
});
