import { applyDefaults, type FieldError, prune, validate } from "@trivium/schema";
import { cloneJson, type JsonObject } from "@trivium/std";
import type { DefinedKind } from "./kind.ts";

/** What an API server would make of a new object, without one. */
export interface Admission {
  /** As it would be stored: unknown fields gone, defaults filled in. */
  readonly object: JsonObject;
  /** Paths of fields that the kind does not know. */
  readonly unknown: readonly string[];
  /** Why it would be refused; empty when it would be taken. */
  readonly faults: readonly FieldError[];
}

/** Prunes, defaults and validates a copy of the object by the kind's own definition. */
export function admitObject(kind: DefinedKind, object: JsonObject): Admission {
  const copy = cloneJson(object);
  const unknown = prune(kind.schema, copy, { isResourceRoot: true });
  applyDefaults(kind.schema, copy);
  return { object: copy, unknown, faults: validate(kind.schema, copy) };
}
