import assert from "node:assert/strict";
import { test } from "node:test";
import { readManifests } from "./read-manifests.ts";

const service = (name: string): string =>
  `apiVersion: ome.io/v1beta1\nkind: InferenceService\nmetadata: { name: ${name} }\n`;

test("documents, lists and empty documents are read", () => {
  const text = `${service("a")}---\n---\napiVersion: v1\nkind: List\nitems:\n- ${service("b").trim().replaceAll("\n", "\n  ")}\n`;
  const { objects, faults } = readManifests(text);
  assert.deepEqual([objects.map(({ metadata }) => metadata.name), faults], [["a", "b"], []]);
  assert.deepEqual(readManifests(""), { objects: [], faults: [] });
});

test("every fault is reported with its document", () => {
  const { objects, faults } = readManifests(
    `a: [\n---\n${service("a")}---\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n---\ntext`,
  );
  assert.equal(objects.length, 1);
  assert.equal(faults.length, 4);
  assert.match(faults[0] ?? "", /^document 1: /);
  assert.deepEqual(faults.slice(1), [
    "document 3: apiVersion and kind are missing",
    "document 4: Pod has no metadata.name",
    "document 5: apiVersion and kind are missing",
  ]);
});

test("an alias bomb is refused", () => {
  const bomb = `a: &a [x,x]\n${"bcdefghij"
    .split("")
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghij"[at]}`).join()}]`)
    .join("\n")}`;
  assert.throws(() => readManifests(bomb), /alias/i);
});
