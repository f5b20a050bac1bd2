/** What the user's documents say of the fields of a dialect: names, types and rules, no prose. Kept as `parity/fields.json`. */
export interface Facts {
  /** What the documents speak of throughout: where they are silent on one of these, they mean "none". */
  readonly speaksOf: readonly Aspect[];
  readonly kinds: Readonly<Record<string, FieldFact>>;
  readonly types: Readonly<Record<string, TypeFact>>;
  /** Kind → path → JSON type, from sample manifests and plain tables: the field must be there and take such a value. */
  readonly samples?: Readonly<Record<string, Readonly<Record<string, SampleType>>>>;
}

/** In what a field of ours can differ from the documents; also the words of the tables in `docs/reference/dialects/`. */
export const aspects = [
  "missing",
  "extra",
  "type",
  "required",
  "nullable",
  "default",
  "enum",
  "pattern",
  "bounds",
  "rules",
  "list",
] as const;
export type Aspect = (typeof aspects)[number];

export type SampleType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "any";

/** A named type of the documents. */
export interface TypeFact {
  readonly fields: Readonly<Record<string, FieldFact>>;
  /** Other named types whose fields are fields of this one. */
  readonly embeds?: readonly string[];
  /** Kubernetes types whose fields are fields of this one. */
  readonly embedsK8s?: readonly string[];
}

export interface FieldFact {
  readonly type: "string" | "integer" | "number" | "boolean" | "object" | "array" | "map" | "quantity" | "any";
  readonly format?: string;
  /** Named types of the documents; more than one when a field is listed more than once, and then it has the fields of all. */
  readonly own?: readonly string[];
  /** A type of Kubernetes, by its short name. */
  readonly k8s?: string;
  readonly fields?: Readonly<Record<string, FieldFact>>;
  /** Of each entry of an array or a map. */
  readonly of?: FieldFact;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly bounds?: Readonly<Record<string, number>>;
  readonly rules?: readonly { readonly rule: string; readonly message?: string }[];
  readonly list?: { readonly type?: string; readonly keys?: readonly string[] };
}

export const boundWords = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** All fields of a type with those it embeds. */
export function fieldsOf(facts: Facts, name: string): Readonly<Record<string, FieldFact>> {
  const type = facts.types[name];
  if (type === undefined) throw new Error(`the facts use a type ${name} that they do not describe`);
  const embedded = (type.embeds ?? []).map((each) => fieldsOf(facts, each));
  return Object.assign({}, ...embedded, type.fields) as Readonly<Record<string, FieldFact>>;
}

/** Kubernetes types that a type embeds, directly or through others. */
export function k8sTypesOf(facts: Facts, name: string): readonly string[] {
  const type = facts.types[name];
  return [...(type?.embedsK8s ?? []), ...(type?.embeds ?? []).flatMap((each) => k8sTypesOf(facts, each))];
}
