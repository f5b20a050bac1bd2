import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  applyDefaults,
  type FieldError,
  faultsOfStructuralSchema,
  formatFieldErrorBody,
  prune,
  type Schema,
  validate,
} from "@trivium/schema";
import { cloneJson, deepEqual, type Json } from "@trivium/std";
import { ruleSchema, rules, schemas, transitionSchema, transitions, valueSchema, values } from "./oracle/cases.ts";

/** Answers of a kube-apiserver 1.36.4 to the same inputs. */
const answers: {
  values: ({ faults: string[] } | { spec: Json })[];
  rules: string[][][];
  transitions: string[][];
  schemas: string[][];
} = JSON.parse(readFileSync(new URL("oracle/answers.json", import.meta.url), "utf8"));

const lines = (errors: readonly FieldError[]) =>
  errors.map((error) => `${error.reason} ${error.field}: ${formatFieldErrorBody(error)}`).sort();
const object = (spec: Json) => ({
  apiVersion: "schema-parity.example/v1",
  kind: "Probe",
  metadata: { name: "x" },
  spec,
});
const unique = (list: readonly string[]) => [...new Set(list)];

/** Where we are stricter or earlier than the real server, on purpose. */
const deliberate: readonly Json[] = [
  // It takes a list for a formatted string, by mistake; programs that read the field do not.
  { dt: [] },
  // It refuses a kind that is no string while decoding, before it validates.
  { emb: { apiVersion: "", kind: 3 } },
];

test("values are defaulted, pruned and judged as by the real server", () => {
  for (const [index, spec] of values.entries()) {
    if (deliberate.some((one) => deepEqual(one, spec))) continue;
    const mine = cloneJson(object(spec));
    prune(valueSchema, mine, { isResourceRoot: true });
    applyDefaults(valueSchema, mine);
    const faults = lines(validate(valueSchema, mine));
    const outcome = faults.length > 0 ? { faults } : { spec: mine.spec };
    assert.ok(deepEqual(outcome, answers.values[index]), `${JSON.stringify(spec)}\n${JSON.stringify(outcome)}`);
  }
});

test("rules come to the same verdict, in the same words", () => {
  for (const [index, [rule, ...specs]] of rules.entries()) {
    for (const [number, spec] of specs.entries()) {
      const faults = lines(validate(ruleSchema, object({ [`p${index}`]: spec })));
      assert.deepEqual(faults, answers.rules[index]?.[number], JSON.stringify([rule, spec]));
    }
  }
});

test("rules about changes see the value as it was", () => {
  for (const [index, [before, after]] of transitions.entries()) {
    const faults = lines(validate(transitionSchema, object(after), object(before)));
    assert.deepEqual(faults, answers.transitions[index], JSON.stringify([before, after]));
  }
});

test("schemas are refused for the same reasons, rules in them included", () => {
  for (const [index, schema] of schemas.entries()) {
    const faults = lines(faultsOfStructuralSchema(schema as Schema, "spec.validation.openAPIV3Schema"));
    assert.deepEqual(unique(faults), unique(answers.schemas[index] ?? []), JSON.stringify(schema));
  }
});
