import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { servingAnnotations } from "@trivium/engines";
import { dialectNames } from "@trivium/local";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/reference/annotations.md"), "utf8");

/** Names that are no annotation: an API version of files, a schema, a provisioner, and one of tests. */
const others = ["v1", "benchmark", "local", "staged"];
const named = /trivium\.dev\/([a-z][a-z0-9-]*)/g;

const namesIn = (text: string): string[] => [...text.matchAll(named)].map(([, name = ""]) => name);

/** What product code writes or reads; `kept-` is completed with the name of a dialect. */
function namesInCode(): Set<string> {
  const files = globSync("{packages/*,apps}/*/src/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts") && !file.includes("testkit"),
  );
  assert.ok(files.length > 1000, "the sources are found");
  const found = new Set(files.flatMap((file) => namesIn(readFileSync(join(root, file), "utf8"))));
  found.delete("kept-");
  for (const name of ["aim", "ome", "llmkube"]) found.add(`kept-${name}`);
  return new Set([...found].filter((name) => !others.includes(name)));
}

test("the page of annotations has each that the code has, and no other", () => {
  const written = new Set(namesIn(page));
  const code = namesInCode();
  assert.deepEqual([...code].filter((name) => !written.has(name)).sort(), [], "in the code and not on the page");
  assert.deepEqual([...written].filter((name) => !code.has(name)).sort(), [], "on the page and not in the code");
});

test("each annotation of a service is a row with a cell for each dialect", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `trivium.dev/"));
  for (const name of Object.values(servingAnnotations)) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` |`));
    assert.ok(row, `${name} has a row`);
    const cells = row.split(" | ");
    assert.equal(cells.length, 5, name);
    for (const cell of cells) assert.notEqual(cell.replace(/[|\s]/g, ""), "", name);
  }
  assert.ok(dialectNames.length >= 3);
});

test("each story and test that the table of capabilities names exists", () => {
  const [, table = ""] = page.split("## What every service gets");
  const stories = [...table.matchAll(/`((?:\*|aim|ome|llmkube)\/[a-z-]+)`/g)].map(([, story = ""]) => story);
  assert.ok(stories.length > 15);
  for (const story of stories) {
    const found = globSync(`stories/${story}/steps.yaml`, { cwd: root });
    assert.ok(found.length > 0, `story ${story}`);
  }
  const tests = [...table.matchAll(/`((?:packages|apps)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  assert.ok(tests.length > 1);
  for (const path of tests) assert.ok(existsSync(join(root, path)), path);
});
