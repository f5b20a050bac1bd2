import { canonicalJson, getOwn, isObject, type Json, type JsonObject } from "@trivium/std";
import { duplicate, type FieldError, forbidden, invalid, required } from "../field-error.ts";
import { reaches } from "../reach.ts";
import type { Rule, Schema } from "../schema.ts";
import { Correlation } from "../validate/correlation.ts";
import { keyOf } from "../validate/list-types.ts";
import type { Code, Frame } from "./code.ts";
import { pathOfField } from "./field-path.ts";
import { Meter, OverBudget } from "./meter.ts";
import { type CompiledRule, compileRules } from "./program.ts";
import { CelError, celValueOf, NoOverload, Optional, type Value } from "./values.ts";

/** One value with the schema that rules about it hang on, and what it was before. */
interface Place {
  readonly schema: Schema;
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
  readonly isResource: boolean;
  /** Where this place is; left out for the whole object. */
  readonly from?: { readonly up: Place; readonly step: string | number };
}

interface Run {
  readonly meter: Meter;
  readonly errors: FieldError[];
  readonly whole: Correlation | undefined;
  forgive(error: FieldError): void;
}

/** Stops everything: the budget of the object is used up. */
class Stop extends Error {}

export interface RulesOptions {
  readonly path?: string;
  readonly isResource?: boolean;
  /** Told of broken rules about values that are as they were before; left out, they are faults like others. */
  forgive?(error: FieldError): void;
}

/** Runs all rules of an object. Rules about transitions run where there is an old value to compare with. */
export function checkRules(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  { path = "", isResource = true, forgive }: RulesOptions = {},
): FieldError[] {
  const whole = old === undefined || forgive === undefined ? undefined : new Correlation(schema, value, old);
  const run: Run = { meter: new Meter(), errors: [], whole, forgive: forgive ?? (() => undefined) };
  try {
    checkPlace({ schema, value, old, path, isResource }, run);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return run.errors;
}

function checkPlace(place: Place, run: Run): void {
  const { schema, value } = place;
  if (value === null || !hasRules(schema)) return;
  runRules(schema["x-kubernetes-validations"], place, run);
  for (const branch of schema.allOf ?? []) runRules(branch["x-kubernetes-validations"], place, run, "branch");
  if (Array.isArray(value)) checkItems(place, value, run);
  else if (isObject(value)) checkProperties(place, value, run);
}

function checkItems(up: Place, items: readonly Json[], run: Run): void {
  const { schema, old, path } = up;
  const inner = schema.items;
  if (inner === undefined || !hasRules(inner)) return;
  const partners = partnersOf(schema, old);
  for (const [index, item] of items.entries()) {
    const isResource = inner["x-kubernetes-embedded-resource"] === true;
    const from = { up, step: index };
    checkPlace({ schema: inner, value: item, old: partners(item), path: `${path}[${index}]`, isResource, from }, run);
  }
}

/** Elements of a list-map are known again by their keys; elements of other lists are not. */
function partnersOf(schema: Schema, old: Json | undefined): (item: Json) => Json | undefined {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return () => undefined;
  const byKey = new Map(old.filter(isObject).map((item) => [canonicalJson(keyOf(item, keys)), item]));
  return (item) => (isObject(item) ? byKey.get(canonicalJson(keyOf(item, keys))) : undefined);
}

function checkProperties(up: Place, value: JsonObject, run: Run): void {
  const { schema, old, path } = up;
  const before = isObject(old) ? old : undefined;
  for (const key of Object.keys(value)) {
    const property = getOwn(schema.properties, key);
    const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    const inner = property ?? others;
    if (inner === undefined || !hasRules(inner)) continue;
    const at = property === undefined ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const isResource = inner["x-kubernetes-embedded-resource"] === true;
    const from = { up, step: key };
    checkPlace({ schema: inner, value: value[key] as Json, old: getOwn(before, key), path: at, isResource, from }, run);
  }
}

function runRules(rules: readonly Rule[] | undefined, place: Place, run: Run, of: RulesOf = "place"): void {
  if (rules === undefined || rules.length === 0) return;
  const self = celValueOf(place.value, place.schema, place.isResource);
  const oldSelf =
    place.old === undefined || place.old === null ? undefined : celValueOf(place.old, place.schema, place.isResource);
  for (const compiled of compileRules(rules, place.schema, place.isResource)) {
    if (compiled.usesOldSelf && oldSelf === undefined && compiled.rule.optionalOldSelf !== true) continue;
    const shown = compiled.rule.optionalOldSelf === true ? new Optional(oldSelf) : oldSelf;
    runRule(compiled, { place, run, of, frame: { self, oldSelf: shown, locals: [], meter: run.meter } });
  }
}

/** Whether rules stand at a place itself or in a branch of its `allOf`, which upstream does not take for the place. */
type RulesOf = "place" | "branch";

interface Call {
  readonly place: Place;
  readonly run: Run;
  readonly of: RulesOf;
  readonly frame: Frame;
}

function runRule(compiled: CompiledRule, call: Call): void {
  const { place, run } = call;
  const at = place.path === "" ? "<nil>" : place.path;
  const type = place.schema.type ?? "";
  if (compiled.code === undefined) {
    run.errors.push(invalid(at, type, `rule compile error: ${compiled.fault}`));
    return;
  }
  run.meter.startRule();
  const outcome = evaluate(compiled.code, call.frame);
  if (outcome === true) return;
  if (outcome instanceof OverBudget) {
    run.errors.push(invalid(at, type, overBudgetWords(outcome, compiled.rule)));
    throw new Stop();
  }
  if (outcome instanceof CelError) {
    run.errors.push(invalid(at, type, failureWords(outcome, compiled.rule)));
    return;
  }
  const error = errorOf(compiled.rule, place, messageOf(compiled, call));
  if (!compiled.usesOldSelf && isForgiven(call)) run.forgive(error);
  else run.errors.push(error);
}

/** Whether the place, or the nearest one above it that can be known again, is as it was. */
function isForgiven({ place, run, of }: Call): boolean {
  const { here, above } = correlationsOf(place, run);
  return (of === "branch" ? above : (here ?? above))?.isUnchanged === true;
}

interface Correlations {
  readonly here: Correlation | undefined;
  readonly above: Correlation | undefined;
}

function correlationsOf({ from }: Place, run: Run): Correlations {
  if (from === undefined) return { here: run.whole, above: undefined };
  const outer = correlationsOf(from.up, run);
  if (outer.here === undefined) return outer;
  const isHead = from.up.from === undefined && (from.step === "apiVersion" || from.step === "kind");
  return isHead ? { here: undefined, above: undefined } : { here: outer.here.at(from.step), above: outer.here };
}

function evaluate(code: Code, frame: Frame): Value | CelError | OverBudget {
  try {
    return code.run(frame);
  } catch (error) {
    if (error instanceof CelError || error instanceof OverBudget) return error;
    // A text too long to exist, or a stack too deep: the rule asked for too much.
    if (error instanceof RangeError) return new OverBudget("rule");
    throw error;
  }
}

function overBudgetWords(error: OverBudget, rule: Rule): string {
  if (error.of === "object")
    return "validation failed due to running out of cost budget, no further validation rules will be run";
  return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleWords(rule)}`;
}

function failureWords(error: CelError, rule: Rule): string {
  if (error instanceof NoOverload) {
    return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleWords(rule)}`;
  }
  return `${error.message} evaluating rule: ${ruleWords(rule)}`;
}

const ruleWords = (rule: Rule) => (rule.message ?? "").trim() || rule.rule.trim();

/** The message of a broken rule: from its expression where that gives one line of text, else as written, else the rule. */
function messageOf(compiled: CompiledRule, { frame }: Call): string {
  if (compiled.message !== undefined) {
    const outcome = evaluate(compiled.message, frame);
    const text = typeof outcome === "string" ? outcome.trim() : "";
    if (text !== "" && text.length <= 5 * 1024 && !text.includes("\n")) return text;
  }
  return (compiled.rule.message ?? "").trim() || `failed rule: ${ruleWords(compiled.rule)}`;
}

function errorOf(rule: Rule, place: Place, detail: string): FieldError {
  const below = rule.fieldPath === undefined ? "" : (pathOfField(rule.fieldPath, place.schema) ?? "");
  const at = place.path === "" && below === "" ? "<nil>" : joinPaths(place.path, below);
  const isWhole = place.schema.type === "object" || place.schema.type === "array";
  const value = isWhole ? {} : { value: place.value };
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(at, detail);
    case "FieldValueRequired":
      return required(at, detail);
    case "FieldValueDuplicate":
      return isWhole ? { reason: "FieldValueDuplicate", field: at, detail: "" } : duplicate(at, place.value);
    default:
      return { reason: "FieldValueInvalid", field: at, detail, ...value };
  }
}

const joinPaths = (path: string, below: string) =>
  below === "" ? path : path === "" || below.startsWith("[") ? `${path}${below}` : `${path}.${below}`;

/** Whether a rule can hang anywhere under a schema. Most schemas have none at most places. */
export const hasRules = reaches((schema) => (schema["x-kubernetes-validations"]?.length ?? 0) > 0);
