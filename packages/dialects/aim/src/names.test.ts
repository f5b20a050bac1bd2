import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOfDnsSubdomain } from "@trivium/std";
import fc from "fast-check";
import { derivedName, labelValueOf, nameBefore, objectName, objectNameBefore, sanitizeName } from "./names.ts";

test("names without a hash, and of characters that a name cannot have", () => {
  assert.equal(derivedName(["a", "b"], []), "a-b");
  assert.equal(derivedName(["", "!!"], []), "part-part");
});

test("label values do not end where a label cannot", () => {
  assert.equal(labelValueOf(`${"a".repeat(62)}//b`), "a".repeat(62));
});

test("parts of names", () => {
  assert.equal(sanitizeName("--Foo_Bar.1--"), "foo-bar-1");
  assert.equal(nameBefore("a".repeat(80), "-ovr-12345678"), `${"a".repeat(50)}-ovr-12345678`);
});

test("names of objects keep their dots, and never end in one", () => {
  assert.equal(objectName("--Foo_Bar.1..2--"), "foo-bar.1-2");
  assert.equal(objectName(`${"a".repeat(62)}.b`), "a".repeat(62));
  assert.equal(objectNameBefore(`foo-0.8.4-${"b".repeat(80)}`, "-x"), `foo-0.8.4-${"b".repeat(51)}-x`);
});

test("every derived name is valid and short enough", () => {
  const anything = fc.array(fc.string({ maxLength: 90 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anything, fc.integer({ min: 30, max: 63 }), (parts, most) => {
      const name = derivedName(parts, ["x"], { most });
      assert.match(name, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
      const dotted = derivedName(parts, ["x"], { most, dots: "kept" });
      assert.deepEqual(faultsOfDnsSubdomain(dotted), [], dotted);
      assert.ok(name.length <= most && dotted.length <= most);
    }),
  );
});
