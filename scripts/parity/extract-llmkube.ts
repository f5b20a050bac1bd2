/**
 * Reads the JSON schema of Model among the user's documents.
 *
 *   node scripts/parity/extract-llmkube.ts --from <folder>
 */
import type { Facts, FieldFact } from "./facts.ts";
import { boundWords } from "./facts.ts";
import { findDocument, writeFacts } from "./write-facts.ts";

/** The part of JSON schema that the document uses. */
interface JsonSchema {
  readonly type: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message?: string }[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly [bound: string]: unknown;
}

export function extractLlmkube(documents: readonly string[]): Facts {
  const schema = JSON.parse(findDocument(documents, '"Model is the Schema for the models API"')) as JsonSchema;
  return {
    speaksOf: ["extra", "required", "nullable", "default", "enum", "pattern", "bounds", "rules", "list"],
    kinds: { Model: factOf(schema) },
    types: {},
  };
}

function factOf(schema: JsonSchema): FieldFact {
  const types = [schema.type].flat();
  const bounds = boundWords.flatMap((word) =>
    schema[word] === undefined ? [] : [[word, schema[word] as number] as const],
  );
  const rules = schema["x-kubernetes-validations"];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  return {
    type: types.find((each) => each !== "null") as FieldFact["type"],
    ...(schema.format === undefined ? {} : { format: schema.format }),
    ...(types.includes("null") ? { nullable: true } : {}),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
    ...(schema.pattern === undefined ? {} : { pattern: schema.pattern }),
    ...(bounds.length === 0 ? {} : { bounds: Object.fromEntries(bounds) }),
    ...(rules === undefined ? {} : { rules }),
    ...(listType === undefined ? {} : { list: { type: listType, ...(keys === undefined ? {} : { keys }) } }),
    ...(schema.properties === undefined ? {} : { fields: fieldFacts(schema.properties, schema.required ?? []) }),
    ...(schema.items === undefined ? {} : { of: factOf(schema.items) }),
  };
}

function fieldFacts(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): Record<string, FieldFact> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...factOf(schema), ...(required.includes(name) ? { required: true } : {}) },
    ]),
  );
}

if (import.meta.main) writeFacts("llmkube", extractLlmkube);
