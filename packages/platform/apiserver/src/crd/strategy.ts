import { type AnyObject, readScalePath, type ScalePaths } from "@trivium/kube";
import { applyDefaults, type FieldError, prune, type Schema, validate } from "@trivium/schema";
import type { Json } from "@trivium/std";
import type { Strategy } from "../resource.ts";

/** What the schema of a CRD makes of the objects of its resource. Metadata is checked by the server, as for every kind. */
export function customStrategy(own: Schema, scale?: ScalePaths): Strategy {
  const schema = withHead(own, withRestrictions({ type: "object" }, own));
  return {
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    prune: (object) => prune(schema, object as unknown as Json, { isResourceRoot: true }),
    applyDefaults: (object) => applyDefaults(schema, object as unknown as Json),
    validate: (object, old) => [
      ...validate(schema, object as unknown as Json, old as unknown as Json | undefined),
      ...(scale === undefined ? [] : faultsOfScale(object, scale)),
    ],
  };
}

const mostReplicas = 2 ** 31 - 1;

/** Replicas are counted in 32 bits, and never below nothing, whatever the schema says. */
function faultsOfScale(object: AnyObject, { specReplicasPath, statusReplicasPath }: ScalePaths): FieldError[] {
  return [specReplicasPath, statusReplicasPath].flatMap((field): FieldError[] => {
    const value = readScalePath(object, field);
    if (typeof value !== "number" || (value >= 0 && value <= mostReplicas)) return [];
    const detail =
      value < 0 ? "should be a non-negative integer" : `should be less than or equal to ${mostReplicas}`;
    return [{ reason: "FieldValueInvalid", field, value, detail }];
  });
}

/** Schema of the whole object: what the CRD says, with the head that every object has. */
export function wholeSchema(own: Schema, metadata: Schema): Schema {
  return withHead(own, withRestrictions(metadata, own));
}

function withHead(own: Schema, metadata: Schema): Schema {
  const head = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata } as const;
  return { ...own, type: "object", properties: { ...own.properties, ...head } };
}

/** A CRD may narrow `metadata.name` and `metadata.generateName`, and nothing else of the metadata. */
function withRestrictions(metadata: Schema, own: Schema): Schema {
  const narrowed = own.properties?.metadata?.properties;
  if (narrowed === undefined) return metadata;
  return { ...metadata, properties: { ...metadata.properties, ...narrowed } };
}
