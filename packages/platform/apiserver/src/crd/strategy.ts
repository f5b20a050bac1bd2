import { type AnyObject, goText, goType, readScalePath, type ScalePaths } from "@trivium/kube";
import {
  applyDefaults,
  DefaultsTooLarge,
  type FieldError,
  formatFieldError,
  prune,
  type Schema,
  validate,
} from "@trivium/schema";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { warningsOfFinalizers } from "../admission/metadata.ts";
import { bodyTooLarge } from "../refusals.ts";
import type { Strategy } from "../resource.ts";

/** What the schema of a CRD makes of the objects of its resource. Metadata is checked by the server, as for every kind. */
export function customStrategy(own: Schema, scale?: ScalePaths): Strategy {
  const schema = withHead(own, withRestrictions({ type: "object" }, own));
  return {
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
    prune: (object) => prune(schema, object as unknown as Json, { isResourceRoot: true }),
    applyDefaults: (object) => fillDefaults(schema, object),
    validate: (object, old, warn) => [
      ...validate(schema, object as unknown as Json, old as unknown as Json | undefined, (forgiven) =>
        warn?.(formatFieldError(forgiven)),
      ),
      ...(scale === undefined ? [] : faultsOfScale(object, scale)),
    ],
    warnings: (object) => warningsOfFinalizers(object.metadata.finalizers),
  };
}

function fillDefaults(schema: Schema, object: AnyObject): void {
  try {
    applyDefaults(schema, object as unknown as Json);
  } catch (error) {
    if (!(error instanceof DefaultsTooLarge)) throw error;
    throw bodyTooLarge(`Request entity too large: ${error.message}`);
  }
}

const maxReplicas = 2 ** 31 - 1;

/** Replicas are counted in 32 bits, and never below nothing, whatever the schema says. */
function faultsOfScale(object: AnyObject, { specReplicasPath, statusReplicasPath }: ScalePaths): FieldError[] {
  return [specReplicasPath, statusReplicasPath].flatMap((field): FieldError[] => {
    const wrong = faultOfAccess(object as unknown as Json, field.split(".").slice(1));
    if (wrong !== undefined) {
      return [{ reason: "FieldValueInvalid", field, value: 0, detail: `${field} accessor error: ${wrong}` }];
    }
    const value = readScalePath(object, field);
    if (typeof value !== "number" || (value >= 0 && value <= maxReplicas)) return [];
    const detail = value < 0 ? "should be a non-negative integer" : `should be less than or equal to ${maxReplicas}`;
    return [{ reason: "FieldValueInvalid", field, value, detail }];
  });
}

/** Why no number can be read at a path; nothing where there is one, or nothing at all. */
function faultOfAccess(value: Json | undefined, path: readonly string[]): string | undefined {
  const [key, ...rest] = path;
  if (value === undefined) return undefined;
  const expected = key === undefined ? "int64" : "map[string]interface{}";
  const fits = key === undefined ? Number.isInteger(value) : isObject(value);
  if (!fits) return `${goText(value)} is of the type ${value === null ? "<nil>" : goType(value)}, expected ${expected}`;
  return key === undefined ? undefined : faultOfAccess((value as JsonObject)[key], rest);
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
