import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatImage, parseImageReference, wantedOf } from "./image-reference.ts";

test("image references", () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  const table: [string, ReturnType<typeof parseImageReference>][] = [
    ["foo", { registry: "docker.io", repository: "foo" }],
    ["acme/foo:1.0", { registry: "docker.io", repository: "acme/foo", tag: "1.0" }],
    ["ghcr.io/a/b/c:v1_2", { registry: "ghcr.io", repository: "a/b/c", tag: "v1_2" }],
    ["localhost:5000/x:1", { registry: "localhost:5000", repository: "x", tag: "1" }],
    ["[::1]:5000/x", { registry: "[::1]:5000", repository: "x" }],
    ["localhost/x", { registry: "localhost", repository: "x" }],
    [`acme/foo@${digest}`, { registry: "docker.io", repository: "acme/foo", digest }],
    [`acme/foo:1@${digest}`, { registry: "docker.io", repository: "acme/foo", tag: "1", digest }],
  ];
  for (const [text, parsed] of table) assert.deepEqual(parseImageReference(text), parsed, text);
  const refused = [
    "",
    ":1",
    "a b",
    "Acme/Foo",
    "acme//foo",
    "acme/foo:",
    "acme/foo:.x",
    "acme/foo@sha256:12",
    "a@b@c",
    "https://ghcr.io/a",
    "../etc",
    `a/${"x".repeat(300)}`,
    "-a.io/x?y=1",
    "a..io/x",
    "[a.io]/x",
    "a:b:c",
    `a@sha512:${"a".repeat(128)}`,
  ];
  for (const text of refused) assert.equal(parseImageReference(text), undefined, text);
  assert.equal(wantedOf({ registry: "r", repository: "x" }), "latest");
  assert.equal(formatImage("docker.io", "a/b", "1"), "a/b:1");
  assert.equal(formatImage("ghcr.io", "a/b", "1"), "ghcr.io/a/b:1");
});

test("reading references of any text never fails and never takes long", () => {
  fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (text) => void parseImageReference(text)));
  parseImageReference(`${"a-".repeat(100)}!`);
  parseImageReference(`${"a-".repeat(250)}${"a.".repeat(250)}!/x`);
});
