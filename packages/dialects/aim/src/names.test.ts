import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { derivedName, labelValueOf, nameBefore, sanitizeName } from "./names.ts";

test("derived names are those of the documents", () => {
  assert.equal(derivedName(["kvcache-team-a", "redis"], ["team-a", "kvcache-team-a"]), "kvcache-team-a-redis-a1bbaaab");
  assert.equal(
    derivedName(["kvcache-team-a", "redis", "svc"], ["team-a", "kvcache-team-a"]),
    "kvcache-team-a-redis-svc-a1bbaaab",
  );
  assert.equal(derivedName(["lmcache", "chat"], ["team-a", "chat"]), "lmcache-chat-61772f97");
  assert.equal(
    derivedName(["acme/aim-foo", "1.4.2"], ["docker.io", "acme/aim-foo", "1.4.2"], { digits: 6 }),
    "acme-aim-foo-1-4-2-d6b775",
  );
  assert.equal(derivedName(["a", "b"], []), "a-b");
  assert.equal(derivedName(["", "!!"], []), "part-part");
});

test("label values keep their case and lose what labels cannot have", () => {
  const table = [
    ["amd/Llama-3.1-8B", "amd_Llama-3.1-8B"],
    ["//", "unknown"],
    ["meta/llama-3-8b:1.1+20240915", "meta_llama-3-8b_1.1_20240915"],
    [`${"a".repeat(62)}//b`, "a".repeat(62)],
  ] as const;
  for (const [text, value] of table) assert.equal(labelValueOf(text), value);
});

test("parts of names", () => {
  assert.equal(sanitizeName("--Foo_Bar.1--"), "foo-bar-1");
  assert.equal(nameBefore("a".repeat(80), "-ovr-12345678"), `${"a".repeat(50)}-ovr-12345678`);
});

test("every derived name is one that the API takes, and short enough", () => {
  const anything = fc.array(fc.string({ maxLength: 90 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anything, fc.integer({ min: 30, max: 63 }), (parts, most) => {
      const name = derivedName(parts, ["x"], { most });
      assert.match(name, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
      assert.ok(name.length <= most);
    }),
  );
});
