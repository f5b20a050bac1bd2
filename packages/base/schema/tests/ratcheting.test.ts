import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatFieldError, type Schema, validate } from "@trivium/schema";
import type { Json } from "@trivium/std";

interface Recorded {
  readonly schema: Schema;
  readonly cases: readonly {
    readonly title: string;
    readonly old: Json;
    readonly next: Json;
    readonly faults: readonly string[];
    readonly warnings: readonly string[];
  }[];
}

/** Objects made under a loose schema and updated under a strict one, with what a real server said to each update. */
const { schema, cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, "oracle", "ratcheting.json"), "utf8"),
) as Recorded;

for (const { title, old, next, faults, warnings } of cases) {
  test(`an update is judged as by the real server: ${title}`, () => {
    const forgiven: string[] = [];
    const found = validate(schema, { spec: next }, { spec: old }, (error) => forgiven.push(formatFieldError(error)));
    assert.deepEqual(found.map(formatFieldError).sort(), [...faults].sort());
    assert.deepEqual(forgiven, warnings);
  });
}

test("nothing is forgiven to a new object", () => {
  const strict = cases.filter(({ faults, old, next }) => faults.length === 0 && old !== next);
  const refused = strict.filter(({ next }) => validate(schema, { spec: next }).length > 0);
  assert.ok(refused.length >= 15, `${refused.length} of ${strict.length} need forgiveness`);
});

test("neither value is changed", () => {
  for (const { old, next } of cases) {
    const before = JSON.stringify([old, next]);
    validate(schema, { spec: next }, { spec: old });
    assert.equal(JSON.stringify([old, next]), before);
  }
});
