import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findDrift, type Output, runGenerator, writeFiles } from "./generated-files.ts";

function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "generated-"));
  mkdirSync(join(root, "out"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

const wanted = new Map([
  ["out/same.md", "same"],
  ["out/new.md", "new"],
  ["out/changed.md", "after"],
]);

function withFolder(use: (output: Output) => void): void {
  const root = folder({
    "out/same.md": "same",
    "out/changed.md": "before",
    "out/old.md": "old",
    "out/other.txt": "kept",
  });
  try {
    use({ root, owns: ["out/*.md"], files: wanted });
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("drift is what is missing, what changed, and what is no longer made", () => {
  withFolder((output) => {
    assert.deepEqual(findDrift(output), { stale: ["out/changed.md", "out/new.md"], left: ["out/old.md"] });
  });
});

test("writing leaves no drift, and leaves alone what the generator does not own", () => {
  withFolder((output) => {
    writeFiles(output, findDrift(output));
    assert.deepEqual(findDrift(output), { stale: [], left: [] });
    assert.deepEqual(readdirSync(join(output.root, "out")).sort(), ["changed.md", "new.md", "other.txt", "same.md"]);
    assert.equal(readFileSync(join(output.root, "out/changed.md"), "utf8"), "after");
  });
});

test("a check fails on drift and writes nothing", (context) => {
  context.mock.method(console, "error", () => undefined);
  context.mock.method(console, "log", () => undefined);
  withFolder((output) => {
    assert.equal(runGenerator(output, ["--check"]), 1);
    assert.equal(readFileSync(join(output.root, "out/changed.md"), "utf8"), "before");
    assert.equal(runGenerator(output, []), 0);
    assert.equal(runGenerator(output, ["--check"]), 0);
  });
});
