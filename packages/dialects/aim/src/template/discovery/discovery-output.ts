import { readListedOutput } from "@trivium/engines";
import { formatQuantity, isObject, type Json, type JsonObject } from "@trivium/std";
import { metrics, precisions, profileTypes, remoteUriPattern } from "../../kinds/vocabulary.ts";
import type { TemplateStatus } from "../../objects.ts";

export type Profile = NonNullable<TemplateStatus["profile"]>;
type Sources = NonNullable<TemplateStatus["modelSources"]>;
type Metadata = NonNullable<Profile["metadata"]>;

export type DiscoveryResult =
  | { readonly is: "found"; readonly profile: Profile; readonly modelSources: Sources }
  | { readonly is: "faulty"; readonly why: string };

/** What the image said it would do, from the log of its dry run. */
export function parseDiscoveryOutput(log: string): DiscoveryResult {
  const output = readListedOutput(log);
  if (output.is === "faulty") return output;
  const { profile, models } = output.first;
  const sources: Sources = [];
  for (const [at, model] of (Array.isArray(models) ? models : []).entries()) {
    const source = sourceOf(model);
    if (typeof source === "string") return { is: "faulty", why: `models[${at}] ${source}` };
    sources.push(source);
  }
  return {
    is: "found",
    profile: profileOf(isObject(profile ?? null) ? (profile as JsonObject) : {}),
    modelSources: sources,
  };
}

const knownUri = new RegExp(remoteUriPattern);
const gibibyte = 1024 ** 3;
const most = 2 ** 50;

/** A source, or what is wrong with it. */
function sourceOf(model: Json): Sources[number] | string {
  if (!isObject(model)) return "is not an object";
  const { name, source, size_gb: gigabytes } = model;
  if (typeof source !== "string" || !knownUri.test(source) || source.length > 2_000)
    return "has a source that starts with neither hf:// nor s3://";
  const bytes = typeof gigabytes === "number" ? Math.round(gigabytes * gibibyte) : 0;
  return {
    ...(typeof name === "string" && name !== "" ? { name, modelId: name } : {}),
    sourceUri: source,
    ...(bytes > 0 && bytes <= most ? { size: binary(bytes) } : {}),
  };
}

const binary = (bytes: number): string => formatQuantity({ unscaled: BigInt(bytes), exponent: 0, format: "BinarySI" });

function profileOf({ metadata, engine_args: args, env_vars: variables }: JsonObject): Profile {
  const env = Object.entries(isObject(variables ?? null) ? (variables as JsonObject) : {}).flatMap(([key, value]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [[key, String(value)]] : [],
  );
  return {
    ...(args === undefined || args === null ? {} : { engine_args: args }),
    ...(env.length === 0 ? {} : { env_vars: Object.fromEntries(env) as Record<string, string> }),
    metadata: metadataOf(isObject(metadata ?? null) ? (metadata as JsonObject) : {}),
  };
}

/** Words that the API does not know are left out; they must not keep the rest from being used. */
function metadataOf(raw: JsonObject): Metadata {
  const { engine, gpu, gpu_count: count } = raw;
  const isCount = typeof count === "number" && Number.isInteger(count) && count >= 0 && count < 2 ** 31;
  return {
    ...(typeof engine === "string" && engine !== "" ? { engine } : {}),
    ...(typeof gpu === "string" && gpu !== "" ? { gpu } : {}),
    ...(isCount ? { gpuCount: count } : {}),
    ...word("metric", raw.metric, metrics),
    ...word("precision", raw.precision, precisions),
    ...word("type", raw.type, profileTypes),
  };
}

function word<K extends string, V extends string>(
  key: K,
  value: Json | undefined,
  values: readonly V[],
): Partial<Record<K, V>> {
  const found = values.find((one) => typeof value === "string" && one === value.trim().toLowerCase());
  return found === undefined ? {} : ({ [key]: found } as Record<K, V>);
}
