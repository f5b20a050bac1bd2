import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readStories } from "./story.ts";

test("a folder with both files is a story, and a misspelled word is no check that is silently left out", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-stories-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, given: string, steps: string): void => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "given.yaml"), given);
    writeFileSync(join(folder, name, "steps.yaml"), steps);
  };
  write("good", "about: It works", "- step: Nothing happens\n  writes: 0\n");
  mkdirSync(join(folder, "no-story"));
  assert.deepEqual(readStories(folder), [
    { name: "good", given: { about: "It works" }, steps: [{ step: "Nothing happens", writes: 0 }] },
  ]);
  write("bad", "about: It does not", "- step: Something\n  see: { isvc/m: absent }\n");
  assert.throws(() => readStories(folder), /bad\/steps.yaml: unknown words see/);
});

test("manifests of the repository stand before what a step applies itself", (t) => {
  const root = mkdtempSync(join(tmpdir(), "trivium-stories-"));
  t.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, "stories", "some");
  mkdirSync(join(folder, "one"), { recursive: true });
  mkdirSync(join(root, "examples"));
  writeFileSync(join(root, "examples", "two.yaml"), "kind: A\n---\nkind: B\n");
  writeFileSync(join(folder, "one", "given.yaml"), "about: It works");
  writeFileSync(
    join(folder, "one", "steps.yaml"),
    "- step: First\n  manifests: [examples/two.yaml]\n  apply: [{ kind: C }]\n",
  );
  const [story] = readStories(folder);
  assert.deepEqual(story?.steps, [{ step: "First", apply: [{ kind: "A" }, { kind: "B" }, { kind: "C" }] }]);
});
