import type { Schema } from "./schema.ts";

/** The schemas directly inside one. */
export function partsOf(schema: Schema): Schema[] {
  const { items, not, additionalProperties, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const parts = [items, others, not, ...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  return parts.filter((part) => part !== undefined);
}

/**
 * Whether something holds for a schema or anything inside it, remembered. Passes over values use it to skip what they
 * cannot have anything to say about, which is most of every object. Schemas may contain themselves.
 */
export function reaches(holds: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const answers = new WeakMap<Schema, boolean>();
  return (schema) => {
    const known = answers.get(schema);
    if (known !== undefined) return known;
    const seen = new Set([schema]);
    for (const one of seen) {
      if (answers.get(one) === true || holds(one)) {
        answers.set(schema, true);
        return true;
      }
      if (answers.get(one) === undefined) for (const part of partsOf(one)) seen.add(part);
    }
    for (const one of seen) answers.set(one, false);
    return false;
  };
}
