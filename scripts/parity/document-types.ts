import type { FieldFact } from "./facts.ts";

const text: FieldFact = { type: "string" };

/** Types from outside the documents, by their short name, that are not objects of the Kubernetes API. */
const outside: Readonly<Record<string, FieldFact>> = {
  Quantity: { type: "quantity" },
  ResourceList: { type: "map", of: { type: "quantity" } },
  Duration: text,
  Time: { type: "string", format: "date-time" },
  UID: text,
  JSON: { type: "any" },
  RawExtension: { type: "any" },
  URL: text,
  PersistentVolumeAccessMode: text,
  DNSPolicy: text,
  RestartPolicy: text,
  PreemptionPolicy: text,
  InferenceServiceProtocol: text,
};

/** A type from outside the documents. */
export function outsideType(name: string): FieldFact {
  return outside[name] ?? { type: "object", k8s: name };
}

const plain: Readonly<Record<string, FieldFact>> = {
  string: text,
  boolean: { type: "boolean" },
  bool: { type: "boolean" },
  integer: { type: "integer" },
  int: { type: "integer" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float: { type: "number" },
};

export function plainType(name: string): FieldFact | undefined {
  return plain[name];
}
