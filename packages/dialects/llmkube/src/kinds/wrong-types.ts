import type { Schema } from "@trivium/schema";
import type { Json } from "@trivium/std";

/** A path into an object, and a value that the schema cannot take there. */
export interface WrongType {
  readonly field: string;
  readonly steps: readonly (string | number)[];
  readonly value: Json;
}

/** For every field of a schema, a value of another type. */
export function wrongTypes(schema: Schema, steps: readonly (string | number)[] = []): WrongType[] {
  const inside = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => wrongTypes(each, [...steps, name])),
    ...(schema.items === undefined ? [] : wrongTypes(schema.items, [...steps, 0])),
  ];
  const takesAnything = schema.type === undefined;
  return steps.length === 0 || takesAnything
    ? inside
    : [{ field: fieldOf(steps), steps, value: otherThan(schema) }, ...inside];
}

const otherThan = (schema: Schema): Json => (schema.type === "string" ? 5 : "text");

const fieldOf = (steps: readonly (string | number)[]): string =>
  steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");

/** An object in which only the one value is set. */
export function nest(steps: readonly (string | number)[], value: Json): Json {
  return steps.reduceRight<Json>((inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);
}
