import assert from "node:assert/strict";
import { test } from "node:test";
import { documented } from "../dialects.ts";
import { describe, measureParity, readFacts, readRows } from "./parity.ts";

for (const dialect of documented) {
  test(`${dialect.name}: every field is what the documents say, or its page says why not`, () => {
    const { unexplained } = measureParity(dialect, readFacts(dialect.name), readRows(dialect.name));
    assert.deepEqual(unexplained.map(describe), []);
  });

  test(`${dialect.name}: every row of its page explains a difference that there is`, () => {
    const { needless } = measureParity(dialect, readFacts(dialect.name), readRows(dialect.name));
    assert.deepEqual(
      needless.map(({ line }) => line),
      [],
    );
  });
}
