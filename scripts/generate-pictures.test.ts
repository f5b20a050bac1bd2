import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pictureFiles } from "./generate-pictures.ts";
import { drawDiagram } from "./pictures/diagram.ts";
import { drawTranscript } from "./pictures/transcript.ts";

const root = join(import.meta.dirname, "..");

test("the three pictures of the documentation are drawn", () => {
  const names = ["architecture", "life-of-a-service", "explain"];
  assert.deepEqual([...pictureFiles(root).keys()].sort(), names.map((name) => `docs/pictures/${name}.svg`).sort());
});

test("boxes, their texts and arrows between their sides", () => {
  const svg = drawDiagram("title T\nbox a 1 1 4 2 | A & B | one / two\nbox b 1 6 4 2 | C\narrow a.bottom b.top+1 | to");
  assert.match(svg, /^<svg [^>]*viewBox="0 0 120 180"/);
  for (const words of ["A &amp; B", "one", "two", ">to<"]) assert.ok(svg.includes(words), words);
  assert.match(svg, /<path d="M60 60V90H80V120"/);
});

test("an arrow to nowhere and an unknown line are refused", () => {
  assert.throws(() => drawDiagram("box a 1 1 4 2 | A\narrow a.bottom z.top"), /no box for z.top/);
  assert.throws(() => drawDiagram("circle a 1 1 4 2 | A"), /unknown line of a diagram: circle/);
});

test("notes stand beside their lines", () => {
  const svg = drawTranscript("title\n$ x <- a command\n  <y>");
  for (const words of ["$ x", "a command", "  &lt;y&gt;"]) assert.ok(svg.includes(words), words);
});

test("the picture of explain has the headings that explain prints", () => {
  const program = readFileSync(join(root, "packages/platform/explain/src/sections.ts"), "utf8").toLowerCase();
  const transcript = readFileSync(join(root, "docs/pictures/explain.transcript.txt"), "utf8").split("\n").slice(3);
  const headings = transcript.filter((line) => /^\w/.test(line) && !/^Selection of /.test(line));
  assert.ok(headings.length >= 5);
  for (const heading of headings)
    assert.ok(program.includes(`"${heading.toLowerCase()}"`), `explain does not print the heading ${heading}`);
});
