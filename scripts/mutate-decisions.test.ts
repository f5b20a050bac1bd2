import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { formatOutcome } from "./mutate-decisions.ts";
import { type Mutation, mutations } from "./mutation/mutations.ts";
import { failedCases } from "./mutation/run-cases.ts";
import { applyMutation, copyWorkspace, findDecision } from "./mutation/workspace.ts";

const source = 'export const isReady = status === "True";\n';

function sampleTree(): string {
  const root = mkdtempSync(join(tmpdir(), "tree-"));
  mkdirSync(join(root, "packages/core/sample/src"), { recursive: true });
  mkdirSync(join(root, "node_modules/yaml"), { recursive: true });
  writeFileSync(join(root, "packages/core/sample/package.json"), '{ "name": "@trivium/sample" }');
  writeFileSync(join(root, "packages/core/sample/src/a.test.ts"), source);
  writeFileSync(join(root, "packages/core/sample/src/b.ts"), source);
  for (const file of ["package.json", "tsconfig.json"]) writeFileSync(join(root, file), "{}");
  return root;
}

test("a mutation changes one place of the copy, never the tree, and is undone", (t) => {
  const tree = sampleTree();
  t.after(() => rmSync(tree, { recursive: true }));
  const copy = copyWorkspace(tree);
  t.after(() => copy[Symbol.dispose]());
  const row: Mutation = { what: "x", package: "core/sample", find: '=== "True"', replace: '!== "True"' };
  const applied = applyMutation(copy.root, row);
  assert.ok(applied.is === "applied");
  assert.equal(applied.path, "packages/core/sample/src/b.ts");
  const read = (root: string, name: string) => readFileSync(join(root, "packages/core/sample/src", name), "utf8");
  assert.equal(read(copy.root, "b.ts"), source.replace("===", "!=="));
  assert.equal(read(copy.root, "a.test.ts"), source);
  assert.equal(read(tree, "b.ts"), source);
  applied.restore();
  assert.equal(read(copy.root, "b.ts"), source);
  assert.deepEqual(applyMutation(copy.root, { ...row, find: "gone" }), { is: "stale" });
});

test("a copy has its own packages, and the libraries of the tree", (t) => {
  const tree = sampleTree();
  t.after(() => rmSync(tree, { recursive: true }));
  const copy = copyWorkspace(tree);
  t.after(() => copy[Symbol.dispose]());
  const own = realpathSync(join(copy.root, "node_modules/@trivium/sample"));
  assert.equal(own, realpathSync(join(copy.root, "packages/core/sample")));
  assert.equal(realpathSync(join(copy.root, "node_modules/yaml")), realpathSync(join(tree, "node_modules/yaml")));
});

test("failed cases are named with their kind; other failures are none", () => {
  const tap = "# Subtest: cases of model\n    ok 1 - a\n    not ok 2 - b\nnot ok 1 - cases of model\n# Error: x\n";
  assert.deepEqual(failedCases(tap), ["model/b"]);
  assert.deepEqual(failedCases("not ok 1 - cases.test.ts\n"), []);
});

test("there are twenty decisions or more, in every dialect and the core, each with a text of its own", () => {
  assert.ok(mutations.length >= 20);
  const packages = new Set(mutations.map((row) => row.package));
  assert.deepEqual([...packages].sort(), [
    "core/emitters",
    "core/engines",
    "dialects/aim",
    "dialects/llmkube",
    "dialects/ome",
  ]);
  assert.equal(new Set(mutations.map(({ find }) => find)).size, mutations.length);
  assert.deepEqual(
    mutations.filter(({ find, replace }) => find === replace),
    [],
  );
  assert.equal(formatOutcome({ what: "a", place: "b", result: "missed", by: "" }), "| a | b | missed |  |");
});

test("every decision that a row breaks is in the source", () => {
  const root = join(import.meta.dirname, "..");
  const stale = mutations.filter((row) => findDecision(root, row) === undefined);
  assert.deepEqual(
    stale.map(({ what }) => what),
    [],
  );
});
