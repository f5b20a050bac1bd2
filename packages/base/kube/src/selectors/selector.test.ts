import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOfLabelKey, faultsOfLabelValue } from "@trivium/std";
import fc from "fast-check";
import { formatLabelSelector, type LabelSelectorObject, matchesLabels, selectorOf } from "./selector.ts";
import { SelectorError } from "./selector-error.ts";
import { parseLabelSelector } from "./selector-parser.ts";

const [key = ""] = faultsOfLabelKey("*");
const [value = ""] = faultsOfLabelValue("_");
const [parts = ""] = faultsOfLabelKey("a/b/c");
const operators = "expected: in, notin, =, ==, !=, gt, lt";

/** Answers of kube-apiserver v1.36. */
const refused: [string, string][] = [
  ["a b", `unable to parse requirement: found 'b', ${operators}`],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["a in", "unable to parse requirement: found '' expected: '('"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (b,c", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["a,", "found '', expected: identifier after ','"],
  [",a", "found ',', expected: !, identifier, or 'end of string'"],
  [
    "a>x",
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    "a>",
    "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  ["a!b", `unable to parse requirement: found '!', ${operators}`],
  ["=x", "found '=', expected: !, identifier, or 'end of string'"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a/b/c=d", `unable to parse requirement: <nil>: Invalid value: "a/b/c": ${parts}`],
  ["a=b!", "found '!', expected: ',' or 'end of string'"],
  ["a=_x", `unable to parse requirement: values[0][a]: Invalid value: "_x": ${value}`],
  ["x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"],
  ["x=a,y in (_)", `unable to parse requirement: values[0][y]: Invalid value: "_": ${value}`],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["!!a", "unable to parse requirement: found '!', expected: identifier"],
  ["*=1", `unable to parse requirement: <nil>: Invalid value: "*": ${key}`],
  [
    "a in (_b,_c)",
    `unable to parse requirement: [values[0][a]: Invalid value: "_b": ${value}, values[1][a]: Invalid value: "_c": ${value}]`,
  ],
  ["a gt 5", `unable to parse requirement: found 'gt', ${operators}`],
];

for (const [text, message] of refused) {
  test(`label selector ${text} is refused`, () => {
    assert.throws(
      () => parseLabelSelector(text),
      (error) => error instanceof SelectorError && error.message === message,
    );
  });
}

const matches: [string, Record<string, string>, boolean][] = [
  ["", {}, true],
  ["a", { a: "" }, true],
  ["a", {}, false],
  ["!a", {}, true],
  ["!a", { a: "1" }, false],
  ["a=1", { a: "1" }, true],
  ["a==1", { a: "1" }, true],
  ["a = 1 , b == 2", { a: "1", b: "2" }, true],
  ["a!=1", {}, true],
  ["a!=1", { a: "1" }, false],
  ["a=", { a: "" }, true],
  ["a==,b", { a: "", b: "x" }, true],
  ["a in (1,2)", { a: "2" }, true],
  ["a in (1,2)", {}, false],
  ["a in ()", { a: "" }, true],
  ["a in (,)", { a: "" }, true],
  ["a in (x,,y)", { a: "" }, true],
  ["a in (x,)", { a: "" }, true],
  ["a notin (x,)", { a: "" }, false],
  ["a notin (1)", {}, true],
  ["in in (in)", { in: "in" }, true],
  ["a=in", { a: "in" }, true],
  ["notin", { notin: "1" }, true],
  ["a>5", { a: "6" }, true],
  ["a>5", { a: "5" }, false],
  ["a<5", { a: "-1" }, true],
  ["a<5", { a: "x" }, false],
  ["a>9223372036854775806", { a: "9223372036854775807" }, true],
  ["example.com/a=b", { "example.com/a": "b" }, true],
  ["toString", {}, false],
];

for (const [text, labels, wanted] of matches) {
  test(`label selector ${JSON.stringify(text)} on ${JSON.stringify(labels)}: ${wanted}`, () => {
    assert.equal(matchesLabels(parseLabelSelector(text), labels), wanted);
  });
}

test("the selector inside an object", () => {
  const objects: [LabelSelectorObject | undefined, Record<string, string>, boolean][] = [
    [undefined, { a: "b" }, false],
    [{}, { a: "b" }, true],
    [{ matchLabels: { a: "b" } }, { a: "b" }, true],
    [{ matchLabels: { a: "b" } }, { a: "c" }, false],
    [{ matchExpressions: [{ key: "a", operator: "In", values: ["b", "c"] }] }, { a: "c" }, true],
    [{ matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] }, {}, true],
    [
      {
        matchExpressions: [
          { key: "a", operator: "Exists" },
          { key: "b", operator: "DoesNotExist" },
        ],
      },
      { a: "" },
      true,
    ],
  ];
  for (const [object, labels, wanted] of objects) assert.equal(matchesLabels(selectorOf(object), labels), wanted);
  assert.throws(() => selectorOf({ matchExpressions: [{ key: "a", operator: "Near" }] }), {
    message: '"Near" is not a valid label selector operator',
  });
  assert.throws(() => selectorOf({ matchExpressions: [{ key: "a", operator: "In" }] }), {
    message: "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
  });
});

test("the text of a selector reads back as the same selector", () => {
  const name = fc.constantFrom("a", "b.c", "example.com/d", "in", "notin");
  const text = fc.constantFrom("", "x", "y-1", "in");
  const part = fc.oneof(
    fc.tuple(name, fc.constantFrom("=", "==", "!="), text).map((parts) => parts.join("")),
    fc.tuple(name, fc.constantFrom(" in ", " notin "), fc.array(text)).map(([k, o, v]) => `${k}${o}(${v.join(",")})`),
    fc.tuple(fc.constantFrom("", "!"), name).map((parts) => parts.join("")),
    fc.tuple(name, fc.constantFrom(">", "<"), fc.nat()).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const selector = parseLabelSelector(parts.join(","));
      assert.equal(
        formatLabelSelector(parseLabelSelector(formatLabelSelector(selector))),
        formatLabelSelector(selector),
      );
    }),
  );
});
