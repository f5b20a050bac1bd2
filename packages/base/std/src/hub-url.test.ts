import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHubPath } from "./hub-url.ts";

test("paths of the hub's addresses", () => {
  const read = (path: string) => {
    const page = parseHubPath(path);
    if (page === undefined) return undefined;
    const { form, place } = page;
    return place.scheme === "hub" ? [form, place.repo, place.revision, place.path] : [form, place.scheme];
  };
  for (const [path, expected] of [
    ["/org/m", [undefined, "org/m", undefined, undefined]],
    ["/org/m/", [undefined, "org/m", undefined, undefined]],
    ["/org/m/tree/main", ["tree", "org/m", "main", undefined]],
    ["/org/m/tree/main/folder", ["tree", "org/m", "main", undefined]],
    ["/org/m/resolve/main/", ["resolve", "org/m", "main", undefined]],
    ["/org/m/resolve/refs%2Fpr%2F1/a/b.gguf", ["resolve", "org/m", "refs/pr/1", "a/b.gguf"]],
    ["/org/m/blob/main/b.gguf", ["blob", "org/m", "main", "b.gguf"]],
    ["/org/m/resolve/main/%2E%2E/x", ["resolve", "invalid"]],
    ["/org/m/resolve/%zz", ["resolve", "invalid"]],
    ["/org/..", [undefined, "invalid"]],
    ["/org/m/blob/main", undefined],
    ["/org/m/tree", undefined],
    ["/org/m/discussions/3", undefined],
    ["/org", undefined],
    ["/", undefined],
  ] as const)
    assert.deepEqual(read(path), expected, path);
});
