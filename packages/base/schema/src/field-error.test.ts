import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, formatFieldError } from "./field-error.ts";

test("each kind of error reads as the real server prints it", () => {
  const rows: readonly (readonly [FieldError, string])[] = [
    [
      { reason: "FieldValueInvalid", field: "spec.x", value: 3, detail: "too big" },
      "spec.x: Invalid value: 3: too big",
    ],
    [{ reason: "FieldValueInvalid", field: "a", value: 1.5e-7, detail: "" }, "a: Invalid value: 1.5e-07"],
    [{ reason: "FieldValueInvalid", field: "a", value: 1e21, detail: "" }, "a: Invalid value: 1e+21"],
    [{ reason: "FieldValueInvalid", field: "a", value: 12345678.5, detail: "" }, "a: Invalid value: 1.23456785e+07"],
    [{ reason: "FieldValueInvalid", field: "a", value: 1000000, detail: "" }, "a: Invalid value: 1000000"],
    [
      { reason: "FieldValueInvalid", field: "a", value: 'q"\n\u0001é\u200b😀', detail: "d" },
      'a: Invalid value: "q\\"\\n\\x01é\\u200b😀": d',
    ],
    [
      { reason: "FieldValueInvalid", field: "a", value: { b: "<&>", a: [1, null] }, detail: "d" },
      'a: Invalid value: {"a":[1,null],"b":"\\u003c\\u0026\\u003e"}: d',
    ],
    [{ reason: "FieldValueInvalid", field: "<nil>", value: null, detail: "d" }, "<nil>: Invalid value: null: d"],
    [{ reason: "FieldValueInvalid", field: "spec", detail: "d" }, "spec: Invalid value: d"],
    [{ reason: "FieldValueTypeInvalid", field: "a", value: "string", detail: "d" }, 'a: Invalid value: "string": d'],
    [{ reason: "FieldValueRequired", field: "a", detail: "" }, "a: Required value"],
    [{ reason: "FieldValueRequired", field: "a", detail: "why" }, "a: Required value: why"],
    [{ reason: "FieldValueForbidden", field: "a", value: "x", detail: "why" }, "a: Forbidden: why"],
    [
      { reason: "FieldValueNotSupported", field: "a", value: "x", detail: "", supported: ["a", "b"] },
      'a: Unsupported value: "x": supported values: "a", "b"',
    ],
    [
      { reason: "FieldValueDuplicate", field: "a[1]", value: { name: "x" }, detail: "" },
      'a[1]: Duplicate value: {"name":"x"}',
    ],
    [
      { reason: "FieldValueTooLong", field: "a", value: "x", detail: "may not be more than 5 bytes" },
      "a: Too long: may not be more than 5 bytes",
    ],
    [
      { reason: "FieldValueTooMany", field: "a", value: 3, detail: "must have at most 2 items" },
      "a: Too many: 3: must have at most 2 items",
    ],
    [{ reason: "FieldValueNotFound", field: "a", value: "x", detail: "" }, 'a: Not found: "x"'],
    [{ reason: "InternalError", field: "a", detail: "why" }, "a: Internal error: why"],
  ];
  for (const [error, text] of rows) assert.equal(formatFieldError(error), text);
});
