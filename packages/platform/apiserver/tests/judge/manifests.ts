import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "@trivium/std";
import fc from "fast-check";
import { parse } from "yaml";
import { clusterWide, type Handle, namespaced } from "./handle.ts";
import { type Sequence, sequence } from "./sequence.ts";

const root = join(import.meta.dirname, "../../../../..");

/** The CRDs of our dialects as they are shipped. */
export function readDefinitions(): JsonObject[] {
  const files = globSync("deploy/crds/*/*.yaml", { cwd: root }).sort();
  return files.map((file) => parse(readFileSync(join(root, file), "utf8")) as JsonObject);
}

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly Json[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/** Objects of one CRD: made from its schema, most of them right, some with a field that is wrong, missing or unknown. */
export function objectsOf(definition: JsonObject, count: number): Sequence[] {
  const { group, names, scope, versions } = definition.spec as never as {
    group: string;
    names: { plural: string; kind: string };
    scope: string;
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
  return versions.flatMap(({ name: version, schema }) => {
    const isNamespaced = scope === "Namespaced";
    const at: Handle = (isNamespaced ? namespaced : clusterWide)(`${group}/${version}`, names.plural, names.kind);
    const { spec } = schema.openAPIV3Schema.properties ?? {};
    if (spec === undefined) return [];
    const specs = fc.sample(anyValue(spec, 0), { numRuns: count, seed: 7 });
    return specs.map((each, index) => {
      const id = isNamespaced ? "a" : "{id}";
      const query = index % 3 === 0 ? "fieldValidation=Strict" : "";
      return sequence(`dialects/${at.kind} ${version} ${index + 1}`, at.create(id, { spec: each }, query));
    });
  });
}

const deepest = 5;
/** A value that the schema does not allow, now and then. */
const wrong = fc.constantFrom<Json>(null, "odd value!", -1, 1.5, true, [], {}, [{}], { odd: 1 });

function anyValue(schema: Schema, depth: number): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 30, arbitrary: fittingValue(schema, depth) }, { weight: 1, arbitrary: wrong });
}

function fittingValue(schema: Schema, depth: number): fc.Arbitrary<Json> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, ...schema.enum, "NotOneOfThem");
  if (schema["x-kubernetes-int-or-string"]) return fc.constantFrom<Json>(1, "1", "50%", "1Gi", "100m");
  switch (schema.type) {
    case "integer":
      return fc.constantFrom<Json>(schema.minimum ?? 1, 1, 2, schema.maximum ?? 8, 0);
    case "number":
      return fc.constantFrom<Json>(schema.minimum ?? 0.5, 1, 0.25);
    case "boolean":
      return fc.boolean();
    case "string":
      return textOf(schema);
    case "array":
      return fc.array(anyValue(schema.items ?? {}, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(2, schema.minItems ?? 0),
      });
    case "object":
      return objectOf(schema, depth);
    default:
      return fc.constantFrom<Json>("x", 1, { any: "thing" });
  }
}

function textOf({ format, pattern, minLength }: Schema): fc.Arbitrary<Json> {
  if (format === "date-time") return fc.constantFrom("2024-01-02T03:04:05Z", "yesterday");
  if (format === "duration") return fc.constantFrom("5m", "1h30m", "soon");
  const usual = [
    "a",
    "model-one",
    "llama",
    "https://host.example/path",
    "1Gi",
    "v1.2.3",
    "hf://org/name",
    "registry.example/image:tag",
  ];
  const fitting = pattern === undefined ? usual : usual.filter((text) => new RegExp(pattern).test(text));
  return fc.constantFrom(...(fitting.length > 0 ? fitting : usual), ...(minLength === undefined ? [] : [""]));
}

function objectOf(schema: Schema, depth: number): fc.Arbitrary<Json> {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) {
    const value = schema.additionalProperties;
    return value === undefined
      ? fc.constantFrom<Json>({}, { any: "thing" })
      : fc.dictionary(fc.constantFrom("a", "b"), anyValue(value, depth + 1), { maxKeys: 2 });
  }
  const required = schema.required ?? [];
  const optional = properties.map(([key]) => key).filter((key) => !required.includes(key));
  const chosen =
    depth >= deepest
      ? fc.constant<string[]>([])
      : fc.subarray(optional, { maxLength: Math.min(optional.length, depth === 0 ? 6 : 3) });
  return fc.tuple(chosen, fc.integer({ min: 0, max: 24 })).chain(([keys, chance]) => {
    // One object in a while lacks what it needs, or has what nobody knows.
    const present = chance === 0 ? required.slice(1) : required;
    const fields = Object.fromEntries(
      [...present, ...keys].map((key) => [key, anyValue(schema.properties?.[key] ?? {}, depth + 1)]),
    );
    return fc.record(chance === 1 ? { ...fields, unknownField: fc.constant(1) } : fields) as fc.Arbitrary<Json>;
  });
}
