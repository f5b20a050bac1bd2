import { chartValues, emitInstallation, type ValueName } from "@trivium/operator";
import type { Json } from "@trivium/std";
import { InvalidArgumentError } from "commander";
import { stringify } from "yaml";

export interface ManifestOptions {
  readonly namespace: string;
  readonly release: string;
  readonly imageRegistry?: string;
  readonly watchNamespace?: string;
  readonly dialects: readonly string[];
  readonly set: Partial<Record<ValueName, Json>>;
}

/** The objects of an installation: what the chart creates for the same values. */
export function printManifests(options: ManifestOptions): void {
  const { namespace, release, imageRegistry, watchNamespace, dialects, set } = options;
  const values: Partial<Record<ValueName, Json>> = {
    ...set,
    dialects: [...dialects],
    ...(imageRegistry === undefined ? {} : { "image.registry": imageRegistry }),
    ...(watchNamespace === undefined ? {} : { namespace: watchNamespace }),
  };
  const documents = emitInstallation({ release, namespace, values }).map((object) =>
    stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
  process.stdout.write(documents.join("---\n"));
}

/** One value of the chart, such as `operator.replicas=1`. */
export function setOption(text: string, before: ManifestOptions["set"]): ManifestOptions["set"] {
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (!(name in chartValues))
    throw new InvalidArgumentError(
      `"${name || text}" is not a value of the chart; see deploy/charts/trivium/values.yaml`,
    );
  return { ...before, [name]: parseValue(value) };
}

function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
