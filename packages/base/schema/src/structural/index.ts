import { append } from "@trivium/std";
import { type FieldError, forbidden } from "../field-error.ts";
import type { Schema } from "../schema.ts";
import { faultOfAllDefaults, faultOfDefaultSize, faultsOfDefaults } from "./defaults.ts";
import { faultsOfStructure } from "./invariants.ts";
import { type Context, faultsOfKeywords, hasForeignKeywords } from "./keywords.ts";
import { CostBook, faultsOfRules } from "./rules.ts";
import { faultsOfShape } from "./shape.ts";

/**
 * What the real server says of the schema of a CRD. `path` names the schema, as in
 * `spec.versions[0].schema.openAPIV3Schema`. Nothing is assumed of the schema: it may be any JSON.
 */
export function faultsOfStructuralSchema(schema: Schema, path: string): FieldError[] {
  const shape = faultsOfShape(schema, path);
  if (shape.length > 0) return shape;
  const root = schema.nullable === true ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")] : [];
  // A schema with keywords of another dialect is told about those first; the rest would be guessing.
  const structure = hasForeignKeywords(schema) ? [] : faultsOfStructure(schema, path);
  const early = structure.length > 0 ? structure : allFaultsOfDefaults(schema, path);
  const book = new CostBook();
  const walk: Walk = { book, canCompile: early.length === 0 };
  const site: Site = { schema, path, context: { isRoot: true }, cardinality: 1, uncorrelated: undefined };
  const { keywords, rules } = faultsUnder(site, walk);
  return [...root, ...early, ...keywords, ...rules, ...book.faults(path)];
}

function allFaultsOfDefaults(schema: Schema, path: string): FieldError[] {
  const size = faultOfDefaultSize(schema, path) ?? faultOfAllDefaults(schema, path);
  return size === undefined ? faultsOfDefaults(schema, path) : [size];
}

interface Walk {
  readonly book: CostBook;
  /** Rules are compiled only where the schema around them makes sense. */
  readonly canCompile: boolean;
}

interface Site {
  readonly schema: Schema;
  readonly path: string;
  readonly context: Context;
  readonly cardinality: number | undefined;
  readonly uncorrelated: string | undefined;
  /** Inside `allOf` and its kin there are no rules of their own. */
  readonly isNested?: boolean;
}

interface Found {
  readonly keywords: FieldError[];
  readonly rules: FieldError[];
}

function faultsUnder(site: Site, walk: Walk): Found {
  const { schema, path, context } = site;
  const found: Found = { keywords: faultsOfKeywords(schema, path, context), rules: [] };
  for (const inner of sitesInside(site)) {
    const { keywords, rules } = faultsUnder(inner, walk);
    append(found.keywords, keywords);
    append(found.rules, rules);
  }
  if (!walk.canCompile || site.isNested === true || found.keywords.length > 0) return found;
  const isResource = context.isRoot === true || schema["x-kubernetes-embedded-resource"] === true;
  append(found.rules, faultsOfRules({ ...site, isResource }, walk.book));
  return found;
}

const head: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

function sitesInside(site: Site): Site[] {
  const { schema, path, context } = site;
  const { isRoot: _, ...inherited } = context;
  const cardinality = cardinalityInside(schema, site.cardinality);
  const sites: Site[] = [];
  if (typeof schema.additionalProperties === "object") {
    const noDefaults = context.isInMetadata
      ? { noDefaults: "inside additionalProperties applying to object metadata" }
      : {};
    const at = `${path}.additionalProperties`;
    sites.push({
      ...site,
      schema: schema.additionalProperties,
      path: at,
      context: { ...inherited, ...noDefaults },
      cardinality,
    });
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const inner = { schema: property, path: `${path}.properties[${key}]`, cardinality };
    sites.push({ ...site, ...inner, context: contextOf(key, schema, context) });
  }
  const branches: [string, Schema][] = (["allOf", "oneOf", "anyOf"] as const).flatMap((name) =>
    (schema[name] ?? []).map((branch, index): [string, Schema] => [`${name}[${index}]`, branch]),
  );
  if (schema.not !== undefined) branches.push(["not", schema.not]);
  for (const [name, branch] of branches) {
    sites.push({ ...site, schema: branch, path: `${path}.${name}`, context: inherited, isNested: true });
  }
  if (schema.items !== undefined) {
    const isKnownAgain = schema["x-kubernetes-list-type"] === "map";
    const inner = { schema: schema.items, path: `${path}.items`, context: inherited, cardinality };
    sites.push({ ...site, ...inner, uncorrelated: site.uncorrelated ?? (isKnownAgain ? undefined : path) });
  }
  return sites;
}

function contextOf(key: string, schema: Schema, context: Context): Context {
  const { isRoot, ...inherited } = context;
  if (!head.has(key)) return inherited;
  if (isRoot) return { ...inherited, isInMetadata: true, noDefaults: `in top-level ${key}` };
  return schema["x-kubernetes-embedded-resource"] === true ? { ...inherited, isInMetadata: true } : inherited;
}

function cardinalityInside(schema: Schema, outside: number | undefined): number | undefined {
  const most =
    schema.type === "array"
      ? schema.maxItems
      : schema.type === "object" && schema.additionalProperties !== undefined
        ? schema.maxProperties
        : 1;
  return outside === undefined || most === undefined ? undefined : outside * Math.max(0, most);
}
