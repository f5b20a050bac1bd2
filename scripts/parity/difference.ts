import type { Schema } from "@trivium/schema";
import type { Aspect } from "./facts.ts";

/** One thing that our schema says otherwise than the documents. */
export interface Difference {
  readonly kind: string;
  /** `spec.files[]` is an entry of a list, `spec.labels{}` a value of a map. */
  readonly path: string;
  readonly what: Aspect;
  readonly wanted: string;
  readonly found: string;
}

export type Report = (what: Aspect, path: string, wanted: unknown, found: unknown) => void;

/** The type of a schema in the words of the facts. */
export function typeOf(schema: Schema): string {
  if (schema["x-kubernetes-int-or-string"]) return "quantity";
  if (schema["x-kubernetes-preserve-unknown-fields"] && schema.properties === undefined) return "any";
  if (schema.type === "object" && schema.properties === undefined && schema.additionalProperties) return "map";
  return schema.type ?? "any";
}
