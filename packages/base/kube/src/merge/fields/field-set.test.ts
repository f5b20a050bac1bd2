import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze } from "@trivium/std";
import fc from "fast-check";
import {
  difference,
  differenceDeep,
  type FieldSet,
  formatPaths,
  hasPath,
  intersection,
  isEmptySet,
  setOfPath,
  sortedSet,
  union,
} from "./field-set.ts";

/** A set of paths as a plain set of texts, to check the tree against. */
const step = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'v:"y"', "i:0");
const path = fc.array(step, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });
const treeOf = (list: readonly (readonly string[])[]): FieldSet => deepFreeze(list.map(setOfPath).reduce(union, {}));
const textsOf = (list: readonly (readonly string[])[]) => new Set(list.map((one) => one.join("/")));

function membersOf(set: FieldSet, prefix: readonly string[] = []): string[] {
  return Object.keys(set).flatMap((key) => {
    if (key === ".") return [];
    const here = [...prefix, key];
    const node = set[key] as FieldSet;
    const isMember = Object.keys(node).length === 0 || "." in node;
    return [...(isMember ? [here.join("/")] : []), ...membersOf(node, here)];
  });
}

const sorted = (texts: Iterable<string>) => [...texts].sort();

test("the algebra of field sets is that of sets of paths", () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [treeOf(left), treeOf(right)];
      const [x, y] = [textsOf(left), textsOf(right)];
      assert.deepEqual(sorted(membersOf(union(a, b))), sorted(new Set([...x, ...y])));
      assert.deepEqual(sorted(membersOf(intersection(a, b))), sorted([...x].filter((text) => y.has(text))));
      assert.deepEqual(sorted(membersOf(difference(a, b))), sorted([...x].filter((text) => !y.has(text))));
      const isBelow = (text: string) => [...y].some((one) => text === one || text.startsWith(`${one}/`));
      assert.deepEqual(sorted(membersOf(differenceDeep(a, b))), sorted([...x].filter((text) => !isBelow(text))));
      for (const one of left) assert.equal(hasPath(a, one), true);
      for (const one of right) assert.equal(hasPath(a, one), x.has(one.join("/")));
    }),
  );
});

test("no operation leaves nodes that hold nothing", () => {
  const isTidy = (set: FieldSet): boolean =>
    Object.entries(set).every(
      ([key, node]) =>
        key === "." ||
        ((!("." in (node as object)) || Object.keys(node as object).length > 1) && isTidy(node as FieldSet)),
    );
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [treeOf(left), treeOf(right)];
      for (const set of [union(a, b), intersection(a, b), difference(a, b), differenceDeep(a, b)])
        assert.ok(isTidy(set));
      assert.ok(isEmptySet(difference(a, a)));
    }),
  );
});

test("what does not change is shared", () => {
  const a = treeOf([["f:a", "f:b"], ["f:c"]]);
  assert.equal(difference(a, {}), a);
  assert.equal(difference(a, { "f:x": {} }), a);
  assert.equal(union(a, {}), a);
  assert.equal(difference(a, { "f:c": {} })["f:a"], a["f:a"]);
});

test("paths read as a real server prints them, its members before what lies deeper", () => {
  const set = treeOf([
    ["f:spec", "f:template", "f:x"],
    ["f:spec", "f:replicas"],
    ["f:spec", "f:ports", 'k:{"port":80,"protocol":"TCP"}', "f:name"],
    ["f:spec", "f:ports", 'k:{"port":80,"protocol":"TCP"}'],
    ["f:metadata", "f:finalizers", 'v:"a\\"b"'],
    ["f:list", "i:3"],
  ]);
  assert.deepEqual(formatPaths(set), [
    ".list[3]",
    '.metadata.finalizers[="a\\"b"]',
    ".spec.replicas",
    '.spec.ports[port=80,protocol="TCP"]',
    '.spec.ports[port=80,protocol="TCP"].name',
    ".spec.template.x",
  ]);
});

test("equal sets have equal texts once they are sorted", () => {
  fc.assert(
    fc.property(paths, (list) => {
      const backwards = treeOf(list.toReversed());
      assert.equal(JSON.stringify(sortedSet(treeOf(list))), JSON.stringify(sortedSet(backwards)));
    }),
  );
  assert.equal(
    JSON.stringify(sortedSet({ "v:1": {}, "f:b": { "f:z": {}, ".": {} }, "f:a": {} })),
    '{"f:a":{},"f:b":{".":{},"f:z":{}},"v:1":{}}',
  );
});
