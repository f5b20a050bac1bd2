import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { faultOfRelativePath } from "./relative-path.ts";

test("paths that lead out are refused", () => {
  for (const path of [
    "",
    "/etc/passwd",
    "..",
    "a/../b",
    "a//b",
    "./a",
    "a/.",
    "C:/x",
    "a\\..\\b",
    "a\0b",
    "a/",
    "x".repeat(256),
  ]) {
    assert.notEqual(faultOfRelativePath(path), undefined, JSON.stringify(path));
  }
  for (const path of ["model.gguf", "a/b/c.safetensors", "..a", "a..", "ünïcode/文件", "-rf"]) {
    assert.equal(faultOfRelativePath(path), undefined, path);
  }
});

test("whatever is let through stays inside", () => {
  const segment = fc.oneof(fc.constantFrom("..", ".", "", "a", "b", "\\", "%2e%2e", "C:"), fc.string({ maxLength: 6 }));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), (words) => {
      const path = words.join("/");
      if (faultOfRelativePath(path) !== undefined) return;
      assert.ok(posix.join("/base/dir", path).startsWith("/base/dir/"), path);
    }),
    { numRuns: 2000 },
  );
});
