import type { Json } from "@trivium/std";

/** An OpenAPI v3 schema as a server publishes it: `$ref`s, and `allOf` with one element where a `$ref` carries keywords. */
export interface RawSchema {
  type?: string;
  format?: string;
  $ref?: string;
  allOf?: RawSchema[];
  oneOf?: RawSchema[];
  enum?: Json[];
  default?: Json;
  required?: string[];
  properties?: Record<string, RawSchema>;
  items?: RawSchema;
  additionalProperties?: RawSchema;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

export type Definitions = Record<string, RawSchema>;

export interface ResourceRow {
  group: string;
  version: string;
  resource: string;
  singular: string;
  kind: string;
  scope: "Namespaced" | "Cluster";
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { name: string; kind: string; verbs: string[] }[];
  columns?: { name: string; type: string; format: string; priority: number }[];
}

/** What the published types say of the form on the wire and the schemas leave out, by definition. */
export interface WireFacts {
  /** Scalar fields whose zero value is kept when it is written: they tell "not said" from "zero". */
  pointers: Record<string, string[]>;
  /** Fields that come from an inlined type, by its name; error messages name it. */
  inlined: Record<string, Record<string, string[]>>;
  /** Optional fields that are written even when nothing was said; lists that would be null are left out. */
  always: Record<string, Record<string, Json>>;
  /** Fields whose scalar type has a name of its own in error messages. */
  named: Record<string, Record<string, string>>;
}

export interface CrdDocument {
  spec: {
    group: string;
    names: { kind: string; plural: string };
    scope: "Namespaced" | "Cluster";
    versions: { name: string; storage: boolean; schema: { openAPIV3Schema: RawSchema } }[];
  };
}

const refHead = "#/components/schemas/";

/** The definition a schema refers to, whether directly or through `allOf`. */
export function referenceOf(schema: RawSchema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.startsWith(refHead) ? ref.slice(refHead.length) : undefined;
}

/** Every definition that is named inside a schema. */
export function referencesIn(schema: RawSchema): string[] {
  const own = referenceOf(schema);
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return [
    ...(own === undefined ? [] : [own]),
    ...inner.flatMap((part) => (part === undefined ? [] : referencesIn(part))),
  ];
}

/** `io.k8s.api.core.v1.PodSpec` → `PodSpec`. */
export const shortNameOf = (definition: string): string => definition.slice(definition.lastIndexOf(".") + 1);
