import type { Schema } from "@trivium/schema";
import type { Json, JsonObject } from "@trivium/std";
import type { Resource } from "../resource.ts";
import { head, kindExtension } from "./definitions.ts";

/** What a CRD's kind looks like in OpenAPI: its own schema under the standard head. */
export function customDefinition(resource: Resource): JsonObject {
  const published = publish(resource.schema, new Map());
  return {
    ...published,
    properties: { ...(published.properties as JsonObject | undefined), ...head },
    ...kindExtension(resource, resource.kind),
  };
}

/**
 * A copy with what the extensions of Kubernetes imply spelled out for readers that do not know them.
 * Equal parts stay shared, so that a pod template used five times is not held five times.
 */
function publish(schema: Schema, done: Map<Schema, JsonObject>): JsonObject {
  const known = done.get(schema);
  if (known !== undefined) return known;
  const copy = { ...schema } as JsonObject & Schema;
  done.set(schema, copy);
  if (schema.properties !== undefined) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, publish(property, done)]),
    ) as Record<string, Schema>;
  }
  if (schema.items !== undefined) copy.items = publish(schema.items, done) as Schema;
  if (typeof schema.additionalProperties === "object") {
    copy.additionalProperties = publish(schema.additionalProperties, done) as Schema;
  }
  if (schema["x-kubernetes-int-or-string"] === true && schema.anyOf === undefined) {
    copy.anyOf = [{ type: "integer" }, { type: "string" }];
  }
  if (schema["x-kubernetes-embedded-resource"] === true) publishEmbedded(copy);
  return copy as { [key: string]: Json };
}

function publishEmbedded(copy: JsonObject & Schema): void {
  copy.required = [...new Set(["kind", "apiVersion", ...(copy.required ?? [])])];
  copy.properties = { ...copy.properties, ...(head as unknown as Record<string, Schema>) };
}
