import { k8s } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { deepEqual, type Json } from "@trivium/std";
import { compareSample } from "./compare-sample.ts";
import { type Difference, type Report, typeOf } from "./difference.ts";
import { type Aspect, boundWords, type Facts, type FieldFact, fieldsOf, k8sTypesOf } from "./facts.ts";

interface Comparison {
  readonly facts: Facts;
  readonly report: Report;
}

/** Everything in which our schema of a kind differs from the documents. */
export function compareKind(facts: Facts, kind: string, schema: Schema): Difference[] {
  const found: Difference[] = [];
  const report: Report = (what, path, wanted, observed) =>
    found.push({ kind, path, what, wanted: show(wanted), found: show(observed) });
  const fact = facts.kinds[kind];
  if (fact !== undefined) compareField({ facts, report }, "", fact, schema);
  for (const [path, type] of Object.entries(facts.samples?.[kind] ?? {})) compareSample(report, path, type, schema);
  return found.filter(isFirstOfItsKind);
}

const show = (value: unknown): string => (value === undefined ? "none" : JSON.stringify(value));

/** A field may be reached by its table and by several samples. */
const isFirstOfItsKind = (each: Difference, index: number, all: readonly Difference[]): boolean =>
  all.findIndex((other) => other.path === each.path && other.what === each.what) === index;

function compareField(comparison: Comparison, path: string, fact: FieldFact, schema: Schema): void {
  const type = typeOf(schema);
  if (!fits(fact, type)) {
    comparison.report("type", path, fact.k8s ?? fact.type, type);
    return;
  }
  if (fact.format !== undefined && fact.format !== schema.format) {
    comparison.report("type", path, fact.format, schema.format);
  }
  compareKeywords(comparison, path, fact, schema);
  compareInsides(comparison, path, fact, schema);
}

/** A type of another API that is not among ours may be typed by hand, or left free. */
const isForeign = (fact: FieldFact): boolean => fact.k8s !== undefined && !(fact.k8s in k8s);

const fits = (fact: FieldFact, type: string): boolean => fact.type === type || (type === "any" && isForeign(fact));

function compareKeywords({ facts, report }: Comparison, path: string, fact: FieldFact, schema: Schema): void {
  const check = (what: Aspect, wanted: unknown, found: unknown): void => {
    if (wanted === undefined && !facts.speaksOf.includes(what)) return;
    if (!deepEqual((wanted ?? null) as Json, (found ?? null) as Json)) report(what, path, wanted, found);
  };
  check("nullable", fact.nullable, schema.nullable);
  check("default", fact.default, schema.default);
  check("enum", fact.enum && [...fact.enum].sort(), schema.enum && [...schema.enum].sort());
  // A quantity has the grammar of quantities, which no document spells out.
  check("pattern", fact.pattern, fact.type === "quantity" ? undefined : schema.pattern);
  check("bounds", fact.bounds, boundsOf(schema));
  check("rules", fact.rules, schema["x-kubernetes-validations"]);
  check("list", fact.list, listOf(schema));
}

function boundsOf(schema: Schema): Record<string, number> | undefined {
  const bounds = boundWords.flatMap((word) => (schema[word] === undefined ? [] : [[word, schema[word]] as const]));
  return bounds.length === 0 ? undefined : Object.fromEntries(bounds);
}

function listOf(schema: Schema): FieldFact["list"] {
  const type = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  return type === undefined ? undefined : { type, ...(keys === undefined ? {} : { keys }) };
}

function compareInsides(comparison: Comparison, path: string, fact: FieldFact, schema: Schema): void {
  if (fact.of !== undefined) {
    const inside = fact.type === "array" ? schema.items : (schema.additionalProperties as Schema);
    compareField(comparison, path + (fact.type === "array" ? "[]" : "{}"), fact.of, inside ?? {});
    return;
  }
  const { facts, report } = comparison;
  const own = fact.own ?? [];
  const borrowed = [...(fact.k8s === undefined ? [] : [fact.k8s]), ...own.flatMap((name) => k8sTypesOf(facts, name))];
  for (const name of borrowed) compareWithK8s(report, path, name, schema);
  const fields = Object.assign({}, fact.fields, ...own.map((name) => fieldsOf(facts, name)));
  compareFields(comparison, path, fields as Record<string, FieldFact>, schema);
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function compareFields(comparison: Comparison, path: string, fields: Record<string, FieldFact>, schema: Schema): void {
  const { facts, report } = comparison;
  for (const [name, fact] of Object.entries(fields)) {
    const property = schema.properties?.[name];
    if (property === undefined) {
      report("missing", join(path, name), fact.type, undefined);
      continue;
    }
    const isRequired = schema.required?.includes(name) ?? false;
    if (facts.speaksOf.includes("required") && isRequired !== (fact.required ?? false)) {
      report("required", join(path, name), fact.required ?? false, isRequired);
    }
    compareField(comparison, join(path, name), fact, property);
  }
  if (!facts.speaksOf.includes("extra")) return;
  if (schema["x-kubernetes-preserve-unknown-fields"]) report("extra", path, "no other fields", "any field");
  for (const name of Object.keys(schema.properties ?? {})) {
    if (fields[name] === undefined) report("extra", join(path, name), undefined, name);
  }
}

/** Ours must have every property of a Kubernetes type. A type of another API that is not among ours is not looked into. */
function compareWithK8s(report: Report, path: string, name: string, schema: Schema): void {
  const walk = (whole: Schema, ours: Schema, at: string): void => {
    if (whole.properties === ours.properties) return;
    for (const [key, property] of Object.entries(whole.properties ?? {})) {
      const own = ours.properties?.[key];
      const place = join(at, key);
      if (own === undefined) report("missing", place, `part of ${name}`, undefined);
      else if (typeOf(own) !== typeOf(property)) report("type", place, typeOf(property), typeOf(own));
      else if (property.items !== undefined) walk(property.items, own.items ?? {}, `${place}[]`);
      else walk(property, own, place);
    }
  };
  const whole = (k8s as unknown as Readonly<Record<string, Schema | undefined>>)[name];
  if (whole !== undefined) walk(whole, schema, path);
}
