import type { DefinedKind } from "@trivium/kube";
import { applyDefaults, prune, validate } from "@trivium/schema";
import { cloneJson, type Json, type JsonObject } from "@trivium/std";

/** A spec, and what an API server makes of it: it is stored (perhaps as something else), or refused at these fields. */
export interface SpecCase {
  readonly title: string;
  readonly spec: JsonObject;
  readonly storedAs?: JsonObject;
  readonly refusedAt?: readonly string[];
}

export interface Verdict {
  readonly spec: Json | undefined;
  /** Fields at fault, each once. */
  readonly refusedAt: readonly string[];
}

/** What an API server does with a new object of the kind: it drops what it does not know, fills in defaults, validates. */
export function judge(kind: DefinedKind, spec: JsonObject): Verdict {
  const object: JsonObject = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: "x", namespace: "default" },
    spec: cloneJson(spec),
  };
  prune(kind.schema, object, { isResourceRoot: true });
  applyDefaults(kind.schema, object);
  const fields = validate(kind.schema, object).map((fault) => fault.field);
  // A server adds a line without a field when faults kept it from checking the rules.
  return { spec: object["spec"], refusedAt: [...new Set(fields)].filter((field) => field !== "<nil>") };
}
