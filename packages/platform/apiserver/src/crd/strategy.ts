import { applyDefaults, prune, type Schema, validate } from "@trivium/schema";
import type { Json } from "@trivium/std";
import type { Strategy } from "../resource.ts";

/** What a schema makes of the objects of a custom resource. */
export function customStrategy(schema: Schema): Strategy {
  return {
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    prune: (object) => prune(schema, object as unknown as Json, { isResourceRoot: true }),
    applyDefaults: (object) => applyDefaults(schema, object as unknown as Json),
    validate: (object, old) => validate(schema, object as unknown as Json, old as unknown as Json | undefined),
  };
}

/** Schema of the whole object: what the CRD says, with the head that every object has. */
export function wholeSchema(own: Schema, metadata: Schema): Schema {
  return {
    ...own,
    type: "object",
    properties: {
      ...own.properties,
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: withRestrictions(metadata, own.properties?.metadata),
    },
  };
}

/** A CRD may narrow `metadata.name` and `metadata.generateName`, and nothing else of the metadata. */
function withRestrictions(metadata: Schema, own: Schema | undefined): Schema {
  if (own?.properties === undefined) return metadata;
  return { ...metadata, properties: { ...metadata.properties, ...own.properties } };
}
