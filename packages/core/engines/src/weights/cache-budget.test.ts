import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheBudgetAnnotation, parseCacheBudget } from "./cache-budget.ts";

const gib = 1024 ** 3;
const parse = (text: string | undefined, general?: string) =>
  parseCacheBudget(text === undefined ? {} : { [cacheBudgetAnnotation]: text }, general);

test("the annotation of a namespace wins over the option of the operator", () => {
  assert.deepEqual(parse("2Gi", "9Gi"), { bytes: 2 * gib });
  assert.deepEqual(parse(undefined, "9Gi"), { bytes: 9 * gib });
  assert.deepEqual(parse(undefined), {});
});

test("a value that is not valid has no effect, and is reported", () => {
  for (const text of ["", "much", "-1Gi", "0", "1e999999999", "../x"]) {
    const { bytes, fault } = parse(text, "9Gi");
    assert.equal(bytes, 9 * gib, text);
    assert.match(fault ?? "", /^Annotation trivium\.dev\/cache-budget ".*" has no effect: expected .*; correct it$/);
  }
});
