import assert from "node:assert/strict";
import { it } from "node:test";
import { hasMoreParts } from "./text-size.ts";

const limits = { values: 20, entries: 12, large: 5 };
const list = (count: number, item: unknown = 1) => Array.from({ length: count }, () => item);
const over = (value: unknown) => hasMoreParts(JSON.stringify(value), limits);

it("counts what maps and lists hold, and those that are large apart", () => {
  assert.deepEqual(
    [list(12), list(13), [list(5), list(5), list(5)], [list(6), list(6)], [list(6), list(7)]].map(over),
    [false, true, false, false, true],
  );
  assert.equal(over(list(5, list(5))), true, "too many small ones");
  assert.equal(over(Object.fromEntries(list(13).map((_, at) => [`k${at}`, at]))), true);
});

it("counts no commas of texts, whatever is escaped in them", () => {
  const commas = ",".repeat(100);
  for (const text of [
    commas,
    `"${commas}`,
    `\\${commas}`,
    `\\"${commas}\\`,
    `{[${commas}]}`,
    `é\u2028"\\\\"${commas}`,
  ]) {
    assert.equal(over({ [text]: text, list: [text] }), false, text);
  }
});

it("ends on a text that is none", () => {
  for (const text of ["", '"', '"\\', "]]]]", ",,,,", "{".repeat(1000), '{"a'])
    assert.equal(hasMoreParts(text, limits), false);
});
