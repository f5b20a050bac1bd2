import type { Schema } from "@trivium/schema";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { DecodeFault, decodeObject } from "../built-in/wire/decode.ts";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/**
 * Objects within objects (`x-kubernetes-embedded-resource`) have metadata like every object: what is unknown in it goes, in
 * place, and what is of a wrong type is refused. Returns the paths dropped.
 */
export function decodeEmbeddedMetadata(schema: Schema, object: Json): string[] {
  if (!mentionsEmbedded(schema)) return [];
  const dropped: string[] = [];
  walk(schema, object, "", dropped);
  return dropped;
}

function walk(schema: Schema | undefined, value: Json | undefined, at: string, dropped: string[]): void {
  if (schema === undefined || !mentionsEmbedded(schema)) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(schema.items, item, `${at}[${index}]`, dropped);
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) decodeMetadata(value, at, dropped);
  for (const key of Object.keys(value)) {
    const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    walk(schema.properties?.[key] ?? others, value[key], at === "" ? key : `${at}.${key}`, dropped);
  }
}

function decodeMetadata(value: JsonObject, at: string, dropped: string[]): void {
  const { metadata } = value;
  if (!isObject(metadata)) return;
  const given = JSON.stringify(metadata);
  try {
    for (const path of decodeObject(objectMeta, metadata)) dropped.push(`${at}.metadata.${path}`);
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error;
    throw new DecodeFault(`${at}.metadata: Invalid value: ${given}: ${error.message}`);
  }
}

const known = new WeakMap<Schema, boolean>();

/** Whether there can be an embedded object anywhere below; most CRDs have none. */
function mentionsEmbedded(schema: Schema): boolean {
  const found = known.get(schema);
  if (found !== undefined) return found;
  // A schema of a CRD is a tree, so this ends.
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const mentions =
    schema["x-kubernetes-embedded-resource"] === true ||
    inner.some((one) => typeof one === "object" && mentionsEmbedded(one));
  known.set(schema, mentions);
  return mentions;
}
