import assert from "node:assert/strict";
import test from "node:test";
import { stringLiterals } from "./string-literals.ts";

const texts = (source: string): string[] => stringLiterals(source).map(({ text }) => text);

test("finds strings of all three kinds, and what is inside a template", () => {
  assert.deepEqual(texts(`f("one", 'it\\'s two', \`three \${g("four", { a: "five" })} six\`);`), [
    "one",
    "it's two",
    "three … six",
    "four",
    "five",
  ]);
});

test("passes over comments and regular expressions, and tells a division from them", () => {
  assert.deepEqual(
    texts('// "no"\n/* "no" */ const a = /["\'`/]/.test(b) ? "yes" : 4 / 2; const c = x / "y".length;'),
    ["yes", "y"],
  );
});

test("names the line of each", () => {
  assert.deepEqual(
    stringLiterals(`"a";\n\n\`b\n\${"c"}\`;\n"d"`).map(({ line }) => line),
    [1, 3, 4, 5],
  );
});
