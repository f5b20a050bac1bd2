import type { ModelFacts } from "@trivium/domain";
import { formatParameterCount } from "@trivium/engines";
import { isObject, type Json, type JsonObject } from "@trivium/std";

/** `spec.modelConfiguration` as agents fill it: what the configuration of the model says, in short. */
export type ConfigurationSummary = Readonly<Record<string, string | number | boolean>>;

const fields: Readonly<Record<string, "string" | "number" | "boolean">> = {
  model_type: "string",
  architecture: "string",
  context_length: "number",
  parameter_count: "string",
  has_vision: "boolean",
  is_embedding: "boolean",
  transformers_version: "string",
  torch_dtype: "string",
};

/** What the files do not say is left out; nothing where they say nothing. */
export function summarizeConfiguration(facts: ModelFacts): ConfigurationSummary | undefined {
  const { type, architecture, framework, parameters, capabilities, maxTokens, hasVision, elementType } = facts;
  if (type === undefined && architecture === undefined) return undefined;
  const all = {
    model_type: type,
    architecture,
    context_length: maxTokens,
    parameter_count: parameters === undefined ? undefined : formatParameterCount(parameters.count),
    has_vision: hasVision,
    is_embedding: capabilities.includes("EMBEDDING"),
    transformers_version: framework?.name === "transformers" ? framework.version : undefined,
    torch_dtype: elementType,
  };
  return parseSummary(all as JsonObject);
}

const longestText = 256;

/** Only the known fields, of their types: entries of nodes are open to whoever can write ConfigMaps. */
export function parseSummary(value: Json | undefined): ConfigurationSummary | undefined {
  if (!isObject(value)) return undefined;
  const found = Object.entries(fields).flatMap(([name, type]) => {
    const one = value[name];
    if (typeof one !== type || one === "" || (typeof one === "number" && !Number.isSafeInteger(one))) return [];
    return [[name, typeof one === "string" ? one.slice(0, longestText) : one] as const];
  });
  return found.length === 0 ? undefined : (Object.fromEntries(found) as ConfigurationSummary);
}
