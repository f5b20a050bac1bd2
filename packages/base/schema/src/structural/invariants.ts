import { append } from "@trivium/std";
import { type FieldError, forbidden, invalid, required } from "../field-error.ts";
import { faultOfPattern } from "../regex/index.ts";
import type { Schema } from "../schema.ts";

/** Where a schema stands: what is demanded of its type depends on it. */
type Level = "root" | "item" | "field";

/** What makes a schema structural: every value has a known type, said outside of `allOf`, `anyOf`, `oneOf` and `not`. */
export function faultsOfStructure(schema: Schema, path: string): FieldError[] {
  return [...faultsAt(schema, "root", path), ...faultsOfCoverage(schema, schema, { known: path, used: path })];
}

function faultsAt(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.type === "array" && schema.items === undefined)
    errors.push(required(`${path}.items`, "must be specified"));
  if (schema.items !== undefined) append(errors, faultsAt(schema.items, "item", `${path}.items`));
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    append(errors, faultsAt(property, "field", `${path}.properties[${key}]`));
  }
  append(errors, faultsOfAdditional(schema, level, path), faultsOfExtensions(schema, path));
  append(errors, faultsOfCombinations(schema, { path, isIntOrString: isIntOrStringPattern(schema) }));
  append(errors, faultsOfType(schema, level, path), faultsOfHead(schema, level, path));
  return errors;
}

function faultsOfAdditional(schema: Schema, level: Level, path: string): FieldError[] {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return [];
  const at = `${path}.additionalProperties`;
  const errors = level === "root" ? [forbidden(at, "must not be used at the root")] : [];
  if (schema["x-kubernetes-embedded-resource"] === true) {
    errors.push(forbidden(at, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  return typeof additionalProperties === "object"
    ? [...errors, ...faultsAt(additionalProperties, "field", at)]
    : errors;
}

function faultsOfExtensions(schema: Schema, path: string): FieldError[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  return ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
    .filter((name) => schema[name as keyof Schema] === true)
    .map((name) => invalid(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function faultsOfType(schema: Schema, level: Level, path: string): FieldError[] {
  const at = `${path}.type`;
  const { type } = schema;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const words = "must be object if x-kubernetes-embedded-resource is true";
    return [type === undefined ? required(at, words) : invalid(at, type, words)];
  }
  const isOpen =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (!type) return isOpen ? [] : [required(at, emptyType[level])];
  return level === "root" && type !== "object" ? [invalid(at, type, "must be object at the root")] : [];
}

/** The head of an object is given; a schema may only repeat it, and bound its names. */
function faultsOfHead(schema: Schema, level: Level, path: string): FieldError[] {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const properties = schema.properties ?? {};
  const errors: FieldError[] = [];
  if (level === "root" || isEmbedded) {
    for (const key of ["kind", "apiVersion"]) {
      const type = properties[key]?.type;
      if (properties[key] !== undefined && type !== "string") {
        errors.push(invalid(`${path}.properties[${key}].type`, type ?? "", "must be string"));
      }
    }
    const metadata = properties.metadata;
    if (metadata !== undefined && metadata.type !== "object") {
      errors.push(invalid(`${path}.properties[metadata].type`, metadata.type ?? "", "must be object"));
    }
  }
  if (level === "root" && properties.metadata !== undefined && !isPlainMetadata(properties.metadata)) {
    const words = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(`${path}.properties[metadata]`, words));
  }
  if (isEmbedded && schema["x-kubernetes-preserve-unknown-fields"] !== true && Object.keys(properties).length === 0) {
    const words =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, words));
  }
  return errors;
}

function isPlainMetadata({ type: _, default: __, properties = {}, ...rest }: Schema): boolean {
  const isNamed = Object.keys(properties).every((key) => key === "name" || key === "generateName");
  return isNamed && Object.values(rest).every((value) => value === undefined);
}

function isIntOrStringPattern(schema: Schema): boolean {
  return isIntOrStringAnyOf(schema.anyOf);
}

const isIntOrStringAnyOf = (anyOf: readonly Schema[] | undefined) =>
  anyOf?.length === 2 &&
  anyOf.every((branch, index) => Object.keys(branch).length === 1 && branch.type === ["integer", "string"][index]);

/** `anyOf` of integer and string is the one place where a type may stand inside: it says what int-or-string means. */
function faultsOfCombinations(schema: Schema, at: { path: string; isIntOrString: boolean }): FieldError[] {
  const { path } = at;
  const errors: FieldError[] = [];
  const nested = (branch: Schema, where: string, isPattern: boolean) =>
    append(errors, faultsOfNested(branch, `${path}.${where}`, isPattern));
  if (!at.isIntOrString)
    for (const [index, branch] of (schema.anyOf ?? []).entries()) nested(branch, `anyOf[${index}]`, false);
  for (const [index, branch] of (schema.allOf ?? []).entries()) {
    nested(branch, `allOf[${index}]`, index === 0 && isIntOrStringAnyOf(branch.anyOf));
  }
  for (const [index, branch] of (schema.oneOf ?? []).entries()) nested(branch, `oneOf[${index}]`, false);
  if (schema.not !== undefined) nested(schema.not, "not", false);
  const fault = schema.pattern === undefined ? undefined : faultOfPattern(schema.pattern);
  if (fault !== undefined) {
    const words = `must be a valid regular expression, but isn't: ${fault}`;
    errors.push(invalid(`${path}.pattern`, schema.pattern as string, words));
  }
  return errors;
}

/** Keywords that say what a value is, not whether it is good; they belong outside. */
const forbiddenInside: readonly (readonly [keyof Schema, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function faultsOfNested(schema: Schema, path: string, isPattern: boolean): FieldError[] {
  const errors = faultsOfCombinations(schema, { path, isIntOrString: isPattern });
  if (schema.items !== undefined) append(errors, faultsOfNested(schema.items, `${path}.items`, false));
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    append(errors, faultsOfNested(property, `${path}.properties[${key}]`, false));
  }
  for (const [name, words] of forbiddenInside) {
    if (isSet(schema[name])) errors.push(forbidden(`${path}.${name}`, words));
  }
  if (schema.properties?.metadata !== undefined) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

const isSet = (value: unknown) =>
  value !== undefined && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);

/** What a combination at the root speaks of must be described outside of it too. */
function faultsOfCoverage(
  part: Schema,
  known: Schema | undefined,
  paths: { known: string; used: string },
): FieldError[] {
  const branches: (readonly [Schema, string])[] = [
    ...(part.not === undefined ? [] : [[part.not, "not"] as const]),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((name) =>
      (part[name] ?? []).map((branch, index) => [branch, `${name}[${index}]`] as const),
    ),
  ];
  return branches.flatMap(([branch, name]) => {
    return faultsOfBranchCoverage(branch, known, { known: paths.known, used: `${paths.used}.${name}` });
  });
}

function faultsOfBranchCoverage(
  branch: Schema,
  known: Schema | undefined,
  paths: { known: string; used: string },
): FieldError[] {
  if (known === undefined) return [required(paths.known, `because it is defined in ${paths.used}`)];
  const errors = faultsOfCoverage(branch, known, paths);
  const into = (inner: Schema, of: Schema | undefined, step: string) =>
    append(
      errors,
      faultsOfBranchCoverage(inner, of, { known: `${paths.known}.${step}`, used: `${paths.used}.${step}` }),
    );
  if (branch.items !== undefined) into(branch.items, known.items, "items");
  for (const [key, property] of Object.entries(branch.properties ?? {})) {
    into(property, known.properties?.[key], `properties[${key}]`);
  }
  return errors;
}
