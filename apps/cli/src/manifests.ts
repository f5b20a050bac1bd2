import { dialectDefinitions } from "@trivium/local";
import { chartValues, emitInstallation, type ValueName } from "@trivium/operator";
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
    ...Object.fromEntries(set.map(([name, value]) => [checkedName(name), parseValue(value)])),
    dialects: [...dialects],
    ...(imageRegistry === undefined ? {} : { "image.registry": imageRegistry }),
    ...(watchNamespace === undefined ? {} : { namespace: watchNamespace }),
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

function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
