import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines, nearChanges } from "./diff-lines.ts";

const marks = { same: " ", added: "+", removed: "-" };
const shown = (lines: ReturnType<typeof diffLines>): string => lines.map(({ is, text }) => marks[is] + text).join("\n");

test("two texts differ by the fewest lines", () => {
  assert.equal(shown(diffLines("a\nb\nc", "a\nx\nc\nd")), " a\n-b\n+x\n c\n+d");
  assert.equal(shown(diffLines("a", "a")), " a");
  assert.equal(shown(diffLines("", "a")), "-\n+a");
});

test("applying a difference gives the second text", () => {
  const texts = ["", "a", "a\nb", "b\na\nb\nc", "c\nc\na", "x\ny\nz\na\nb"];
  for (const before of texts)
    for (const after of texts) {
      const lines = diffLines(before, after);
      const join = (kept: "added" | "removed") =>
        lines.filter(({ is }) => is === "same" || is === kept).map(({ text }) => text);
      assert.equal(join("added").join("\n"), after);
      assert.equal(join("removed").join("\n"), before);
    }
});

test("lines far from a change are left out", () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  assert.equal(nearChanges(diffLines(before, before)).length, 0);
  assert.deepEqual(
    nearChanges(diffLines(before, before.replace("line 10", "new")), 1).map(({ text }) => text),
    ["line 9", "line 10", "new", "line 11"],
  );
});

test("a large object is compared, and one that is quite another is shown as such", () => {
  const many = (word: string) => Array.from({ length: 30_000 }, (_, at) => `${word} ${at}`).join("\n");
  const changed = diffLines(many("line"), many("line").replace("line 5\n", "other\n"));
  assert.deepEqual(
    changed.filter(({ is }) => is !== "same"),
    [
      { is: "removed", text: "line 5" },
      { is: "added", text: "other" },
    ],
  );
  assert.equal(diffLines(many("one"), many("two")).length, 60_000);
});
