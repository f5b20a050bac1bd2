import { dialectDefinitions } from "@trivium/local";
import { chartValues, emitInstallation, type ValueName } from "@trivium/operator";
import { type Schema, validate } from "@trivium/schema";
import { type Json, Refusal } from "@trivium/std";
import { stringify } from "yaml";

export interface ManifestOptions {
  readonly namespace: string;
  readonly release: string;
  readonly imageRegistry?: string;
  readonly watchNamespace?: string;
  readonly dialects: readonly string[];
  /** Values of the chart, such as `operator.replicas` and `1`. */
  readonly set: readonly (readonly [string, string])[];
}

/** The objects of an installation: what the chart creates for the same values. */
export function printManifests(options: ManifestOptions): void {
  const { namespace, release, imageRegistry, watchNamespace, dialects, set } = options;
  const values: Partial<Record<ValueName, Json>> = {
    dialects: [...dialects],
    ...(imageRegistry === undefined ? {} : { "image.registry": imageRegistry }),
    ...(watchNamespace === undefined ? {} : { namespace: watchNamespace }),
    ...Object.fromEntries(set.map(([name, value]) => [checkedName(name), parseValue(name, value)])),
  };
  printYaml(emitInstallation({ release, namespace, values }));
}

export const printDefinitions = (dialects: readonly string[]): void => printYaml(dialectDefinitions(dialects));

function printYaml(objects: readonly object[]): void {
  // Subschemas are shared objects in memory; a manifest has no aliases.
  const documents = objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }));
  process.stdout.write(documents.join("---\n"));
}

function checkedName(name: string): ValueName {
  if (name in chartValues) return name as ValueName;
  throw new Refusal(`"${name}" is not a value of the chart; see deploy/charts/trivium/values.yaml`);
}

/** Refuses what the schema of the chart refuses. */
function parseValue(name: string, text: string): Json {
  const schema = chartValues[checkedName(name)].schema as Schema;
  const value = schema.type === "string" || schema.enum !== undefined ? text : parseJson(text);
  if (value !== undefined && validate(schema, value).length === 0) return value;
  throw new Refusal(`--set ${name}=${text}: expected ${describeSchema(schema)}`);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function describeSchema({ type, enum: choices, items }: Schema): string {
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "integer") return "a whole number";
  if (type === "object") return "a JSON object";
  const names = items?.enum === undefined ? "" : ` of ${items.enum.join(", ")}`;
  return `a JSON array${names}${items?.type === undefined ? "" : ` of ${items.type}s`}`;
}
