import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanPath, rootOf } from "./local-path.ts";

test("a path is read by its text alone, and never above the root", () => {
  assert.equal(cleanPath("/a//b/./c/../d/"), "/a/b/d");
  assert.equal(cleanPath("/../../etc"), "/etc");
  assert.equal(cleanPath(""), "/");
});

test("which folder a path lies in", () => {
  const roots = ["/data/models/", "/opt"];
  assert.equal(rootOf("/data/models/x.gguf", roots), "/data/models");
  assert.equal(rootOf("/data/models", roots), "/data/models");
  assert.equal(rootOf("/opt/a/b", roots), "/opt");
  for (const path of ["/data/modelsx", "/data/models/../secret", "/etc/passwd", "relative"])
    assert.equal(rootOf(path, roots), undefined, path);
  assert.equal(rootOf("/opt/models/x", ["/opt", "/opt/models"]), "/opt/models", "the nearest one");
  assert.equal(rootOf("/anything", ["/"]), "/");
  assert.equal(rootOf("/anything", []), undefined);
});
