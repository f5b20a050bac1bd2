import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@trivium/std";
import { formatFieldError } from "../field-error.ts";
import type { Schema } from "../schema.ts";
import { faultsOfStructuralSchema } from "../structural/index.ts";
import { validate } from "../validate/index.ts";

/** Every test here is one that would not end, or end the process, without a bound. None measures time. */

const withRule = (rule: string, properties: Record<string, Schema>): Schema => ({
  type: "object",
  properties: { spec: { type: "object", properties, "x-kubernetes-validations": [{ rule }] } },
});
const run = (rule: string, properties: Record<string, Schema>, spec: Json) =>
  validate(withRule(rule, properties), { apiVersion: "v1", kind: "X", metadata: {}, spec }).map(formatFieldError);
const faults = (rule: string, properties: Record<string, Schema>) =>
  faultsOfStructuralSchema(withRule(rule, properties), "schema").map(formatFieldError);

const numbers: Schema = { type: "array", items: { type: "integer" } };
const text: Schema = { type: "string" };

const stopped = /no further validation rules will be run/;

test("loops in loops are refused before they run, and stopped where they run all the same", () => {
  const rule = "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b + c + d >= 0))))";
  assert.match(faults(rule, { l: numbers })[0] ?? "", /estimated rule cost exceeds budget by factor of more than 100x/);
  const errors = run(rule, { l: numbers }, { l: Array.from({ length: 2000 }, (_, index) => index) });
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? "", stopped);
});

test("lists that grow by multiplying are stopped", () => {
  const deep = (depth: number): string => (depth === 0 ? "1" : `self.l.map(x${depth}, ${deep(depth - 1)})`);
  assert.match(run(`${deep(8)}.size() > 0`, { l: numbers }, { l: Array(100).fill(1) })[0] ?? "", stopped);
});

test("texts that grow by multiplying are stopped before they are made", () => {
  const s = "x".repeat(500_000);
  assert.match(run("self.s.replace('', self.s).size() > 0", { s: text }, { s })[0] ?? "", stopped);
  const rule = "self.l.map(a, self.s).join(self.s).size() > 0";
  assert.match(run(rule, { s: text, l: numbers }, { s, l: Array(1000).fill(1) })[0] ?? "", stopped);
  assert.match(run("lists.range(1000000000).size() > 0", { s: text }, { s: "" })[0] ?? "", /too long/);
});

test("patterns that make other engines run for ever are tested in one walk", () => {
  const s = `${"a".repeat(20_000)}!`;
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "(x+x+)+y"]) {
    assert.match(run(`self.s.matches('${pattern}')`, { s: text }, { s })[0] ?? "", /failed rule/);
  }
  assert.match(run("self.s.findAll('a*?b?').size() > 1000000", { s: text }, { s: s.repeat(20) })[0] ?? "", stopped);
});

test("comparing large values again and again is paid for", () => {
  const big = Array.from({ length: 3000 }, (_, index) => index);
  const rule = "self.l.all(a, self.l == self.k)";
  assert.match(run(rule, { l: numbers, k: numbers }, { l: big, k: big })[0] ?? "", stopped);
});

test("many cheap rules share one budget", () => {
  const item: Schema = {
    type: "integer",
    "x-kubernetes-validations": [{ rule: "[1,2,3,4,5,6,7,8,9].all(x, x + self > 0)" }],
  };
  const schema: Schema = { type: "object", properties: { spec: { type: "array", items: item } } };
  const errors = validate(schema, { spec: Array(500_000).fill(1) }).map(formatFieldError);
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? "", /running out of cost budget, no further validation rules will be run$/);
});

test("expressions that nest or sprawl without end are refused", () => {
  for (const rule of [
    `${"(".repeat(5000)}true${")".repeat(5000)}`,
    `${"!".repeat(20_000)}true`,
    `true${" && true".repeat(20_000)}`,
    `[${"[".repeat(3000)}${"]".repeat(3000)}] == []`,
    `'${"x".repeat(200_000)}' == ''`,
  ]) {
    assert.match(faults(rule, {})[0] ?? "", /compilation failed/, rule.slice(0, 20));
  }
});

test("names of the language's own objects are just names", () => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "prototype"]) {
    assert.match(faults(`self.${name} == 1`, {})[0] ?? "", /undefined field|Syntax error|undeclared/, name);
  }
  const maps: Schema = { type: "object", additionalProperties: text };
  assert.deepEqual(run("!('constructor' in self.m) && !has(self.m.toString)", { m: maps }, { m: {} }), []);
  assert.deepEqual(run("self.m.constructor == 'x'", { m: maps }, { m: { constructor: "x" } }), []);
  assert.match(faults("constructor('return process')() == 1", {})[0] ?? "", /compilation failed/);
});

test("a rule that cannot be compiled fails the object and says so; it is never skipped", () => {
  assert.match(run("self.nope == 1", {}, {})[0] ?? "", /rule compile error: compilation failed/);
});
