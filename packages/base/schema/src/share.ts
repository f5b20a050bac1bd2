import { canonicalJson } from "@trivium/std";
import type { Schema } from "./schema.ts";

/** Schemas by their content, so that equal ones are one object across all kinds. */
const shared = new Map<string, WeakRef<Schema>>();

/**
 * The same schema made of shared parts: equal subschemas become one object, also across calls. Kinds repeat themselves a
 * lot (a pod spec in every second one), and compiled checks are kept for each schema object, so this saves both.
 * The result must not be changed. Schemas that contain themselves are given back as they are.
 */
export function shareSubschemas(schema: Schema): Schema {
  return isCyclic(schema, new Set()) ? schema : share(schema).schema;
}

interface Shared {
  readonly schema: Schema;
  /** Stands for the content; parts are named by theirs, so that no text is longer than one level of a schema. */
  readonly key: string;
}

const keys = new WeakMap<Schema, string>();
let next = 0;

function share(schema: Schema): Shared {
  const known = keys.get(schema);
  if (known !== undefined) return { schema, key: known };
  const copy: Record<string, unknown> = { ...schema };
  const named: Record<string, unknown> = { ...schema };
  for (const name of ["items", "not", "additionalProperties"] as const) {
    if (typeof schema[name] === "object") assign(name, share(schema[name] as Schema));
  }
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = schema[name]?.map(share);
    if (parts === undefined) continue;
    copy[name] = parts.map((part) => part.schema);
    named[name] = parts.map((part) => part.key);
  }
  if (schema.properties !== undefined) {
    const parts = Object.entries(schema.properties).map(([key, inner]) => [key, share(inner)] as const);
    copy.properties = Object.fromEntries(parts.map(([key, part]) => [key, part.schema]));
    // The order of properties is part of what is shared: it is the order in which they are printed.
    named.properties = parts.map(([key, part]) => [key, part.key]);
  }
  return keep(copy as Schema, canonicalJson(named));

  function assign(name: string, part: Shared): void {
    copy[name] = part.schema;
    named[name] = part.key;
  }
}

function keep(schema: Schema, content: string): Shared {
  const found = shared.get(content)?.deref();
  if (found !== undefined) return { schema: found, key: keys.get(found) as string };
  const key = `#${next++}`;
  keys.set(schema, key);
  shared.set(content, new WeakRef(schema));
  return { schema, key };
}

function isCyclic(schema: Schema, above: Set<Schema>): boolean {
  if (keys.has(schema)) return false;
  if (above.has(schema)) return true;
  above.add(schema);
  const { items, not, additionalProperties, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const inner = [items, not, others, ...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  const answer = inner.some((one) => one !== undefined && isCyclic(one, above));
  above.delete(schema);
  return answer;
}
