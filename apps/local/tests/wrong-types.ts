import type { Schema } from "@trivium/schema";
import type { Json, JsonObject } from "@trivium/std";

/** One field of an object, given a value of a type it cannot have. */
export interface WrongType {
  /** As the server names it: `spec.env[0].name`. */
  readonly field: string;
  readonly steps: readonly (string | number)[];
  readonly value: Json;
}

/** Every field below a schema that has a type, each with a value of another type. */
export function wrongTypesOf(schema: Schema, steps: readonly (string | number)[]): WrongType[] {
  const wrong = wrongValueFor(schema);
  const own = wrong === undefined ? [] : [{ field: formatSteps(steps), steps, value: wrong }];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([key, each]) =>
    wrongTypesOf(each, [...steps, key]),
  );
  const items = schema.items === undefined ? [] : wrongTypesOf(schema.items, [...steps, 0]);
  const values =
    typeof schema.additionalProperties === "object" ? wrongTypesOf(schema.additionalProperties, [...steps, "key"]) : [];
  return [...own, ...properties, ...items, ...values];
}

function wrongValueFor(schema: Schema): Json | undefined {
  if (schema["x-kubernetes-int-or-string"]) return { no: "number" };
  switch (schema.type) {
    case "string":
      return 7;
    case "integer":
    case "number":
    case "boolean":
    case "object":
      return "text";
    case "array":
      return { no: "list" };
    default:
      return undefined;
  }
}

function formatSteps(steps: readonly (string | number)[]): string {
  return steps
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${step}`))
    .join("");
}

/** A copy of the object with the value at the place, and whatever has to be there to hold it. */
export function withValueAt(object: Json, steps: readonly (string | number)[], value: Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(object) ? [...object] : [];
    list[step] = withValueAt(list[step] ?? {}, rest, value);
    return list;
  }
  const record: JsonObject =
    object !== null && typeof object === "object" && !Array.isArray(object) ? { ...object } : {};
  record[step] = withValueAt(record[step] ?? {}, rest, value);
  return record;
}
