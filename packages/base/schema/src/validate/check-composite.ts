import type { Json } from "@trivium/std";
import { invalid, required, tooMany } from "../field-error.ts";
import { quoteGo } from "../go-text.ts";
import type { Schema } from "../schema.ts";
import type { Check, Outcome, Report } from "./report.ts";

type Compile = (schema: Schema) => Check;

/** `anyOf`, `oneOf`, `allOf`, `not`. */
export function combinationCheck(schema: Schema, compile: Compile): Check {
  const anyOf = (schema.anyOf ?? []).map(compile);
  const oneOf = (schema.oneOf ?? []).map(compile);
  const allOf = (schema.allOf ?? []).map(compile);
  const not = schema.not === undefined ? undefined : compile(schema.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) {
    return (_, report) => {
      report.matches += 2;
    };
  }
  return (value, report) => {
    report.matches += 2;
    if (anyOf.length > 0) checkAnyOf(anyOf, value, report);
    if (oneOf.length > 0) checkOneOf(oneOf, value, report);
    if (allOf.length > 0) checkAllOf(allOf, value, report);
    if (not !== undefined && report.try(not, value).errors.length === 0) {
      report.addUnplaced(`${quoteGo(report.path.toString())} must not validate the schema (not)`);
    }
  };
}

function checkAnyOf(branches: readonly Check[], value: Json, report: Report): void {
  let best: Outcome | undefined;
  for (const branch of branches) {
    const outcome = report.try(branch, value);
    if (outcome.errors.length === 0) {
      report.merge(outcome);
      return;
    }
    if (best === undefined || outcome.matches > best.matches) best = outcome;
  }
  report.addUnplaced(`${quoteGo(report.path.toString())} must validate at least one schema (anyOf)`);
  report.merge(best as Outcome);
}

function checkOneOf(branches: readonly Check[], value: Json, report: Report): void {
  let best: Outcome | undefined;
  const valid: Outcome[] = [];
  for (const branch of branches) {
    const outcome = report.try(branch, value);
    if (outcome.errors.length === 0) valid.push(outcome);
    else if (best === undefined || outcome.matches > best.matches) best = outcome;
  }
  if (valid.length === 1) {
    report.merge(valid[0] as Outcome);
    return;
  }
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  report.addUnplaced(`${quoteGo(report.path.toString())} must validate one and only one schema (oneOf). ${found}`);
  if (valid.length === 0) report.merge(best as Outcome);
}

function checkAllOf(branches: readonly Check[], value: Json, report: Report): void {
  const outcomes = branches.map((branch) => report.try(branch, value));
  for (const outcome of outcomes) report.merge(outcome);
  const failed = outcomes.filter((outcome) => outcome.errors.length > 0).length;
  if (failed === 0) return;
  const none = failed === branches.length ? ". None validated" : "";
  report.addUnplaced(`${quoteGo(report.path.toString())} must validate all the schemas (allOf)${none}`);
}

export function listCheck(schema: Schema, compile: Compile): Check {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = schema;
  const items = schema.items === undefined ? undefined : compile(schema.items);
  return (value, report) => {
    if (!Array.isArray(value)) return;
    report.matches += 2;
    if (items !== undefined) {
      for (let index = 0; index < value.length; index++) report.inside(index, value[index] as Json, items);
    }
    const path = () => report.path.toString();
    if (value.length < minItems) {
      report.add(invalid(path(), value.length, `${path()} in body should have at least ${minItems} items`));
    }
    if (value.length > maxItems) report.add(tooMany(path(), value.length, maxItems));
    if (uniqueItems === true && hasDuplicates(value)) {
      report.add(invalid(path(), "", `${path()} in body shouldn't contain duplicates`));
    }
  };
}

const hasDuplicates = (list: readonly Json[]) => new Set(list.map((item) => JSON.stringify(item))).size < list.length;

export function objectCheck(schema: Schema, compile: Compile): Check {
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, compile(inner)]));
  const { additionalProperties, required: needed = [], minProperties = 0 } = schema;
  const { maxProperties = Number.POSITIVE_INFINITY } = schema;
  const others = typeof additionalProperties === "object" ? compile(additionalProperties) : undefined;
  const isClosed = additionalProperties === false;
  return (value, report) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    report.matches++;
    const keys = Object.keys(value);
    const path = () => report.path.toString();
    if (keys.length < minProperties) {
      report.add(invalid(path(), keys.length, `${path()} in body should have at least ${minProperties} properties`));
    }
    if (keys.length > maxProperties) report.add(tooMany(path(), keys.length, maxProperties));
    for (const key of keys) {
      const check = properties.get(key) ?? others;
      if (check !== undefined) report.inside(key, value[key] as Json, check);
      else if (isClosed) {
        report.add(invalid(path(), key, `${report.path.child(key)} in body is a forbidden property`));
      }
    }
    for (const key of needed) if (!Object.hasOwn(value, key)) report.add(required(report.path.child(key)));
  };
}
