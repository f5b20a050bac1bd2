import { admitObject, apiVersionOf, type DefinedKind } from "@trivium/kube";
import type { Json, JsonObject } from "@trivium/std";

/** A spec, and what an API server makes of it: it is stored (perhaps as something else), or refused at these fields. */
export interface SpecCase {
  readonly title: string;
  readonly spec: JsonObject;
  readonly storedAs?: JsonObject;
  readonly refusedAt?: readonly string[];
}

export interface Outcome {
  readonly spec: Json | undefined;
  /** Fields at fault, each once. */
  readonly refusedAt: readonly string[];
}

export function judge(kind: DefinedKind, spec: JsonObject): Outcome {
  const metadata = { name: "x", namespace: "default" };
  const { object, faults } = admitObject(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec });
  const fields = faults.map((fault) => fault.field);
  // A server adds a line without a field when faults kept it from checking the rules.
  return { spec: object.spec, refusedAt: [...new Set(fields)].filter((field) => field !== "<nil>") };
}
