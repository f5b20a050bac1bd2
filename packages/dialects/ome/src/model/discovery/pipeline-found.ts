import { parsePipeline } from "@trivium/engines";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { BaseModel } from "../../kinds/base-model.ts";

/** How an image model is put together, in the words of this API. */
export type PipelineFound = NonNullable<BaseModel["spec"]["diffusionPipeline"]>;

const parts: Readonly<Record<string, "scheduler" | "textEncoder" | "tokenizer" | "transformer" | "vae">> = {
  scheduler: "scheduler",
  text_encoder: "textEncoder",
  tokenizer: "tokenizer",
  transformer: "transformer",
  vae: "vae",
};

/** Of a `model_index.json`. */
export function describePipeline(index: JsonObject | undefined): PipelineFound | undefined {
  const pipeline = parsePipeline(index);
  if (pipeline === undefined) return undefined;
  const all = Object.entries(pipeline.components).sort(([a], [b]) => (a < b ? -1 : 1));
  const named = all.flatMap(([name, part]) => (Object.hasOwn(parts, name) ? [[parts[name], part]] : []));
  const further = all.filter(([name]) => !Object.hasOwn(parts, name));
  return {
    className: pipeline.className,
    ...Object.fromEntries(named),
    ...(further.length === 0 ? {} : { additionalComponents: Object.fromEntries(further) }),
  };
}

const longestText = 256;
const maxParts = 64;

/** Of an entry that a node wrote: only what has the right form. */
export function parsePipelineFound(value: Json | undefined): PipelineFound | undefined {
  if (!isObject(value)) return undefined;
  const className = textOf(value.className);
  if (className === undefined) return undefined;
  const named = Object.values(parts).flatMap((name) => {
    const part = partOf(value[name]);
    return part === undefined ? [] : [[name, part]];
  });
  const further = isObject(value.additionalComponents) ? Object.entries(value.additionalComponents) : [];
  const additional = further.slice(0, maxParts).flatMap(([name, one]) => {
    const part = partOf(one);
    return part === undefined ? [] : [[name.slice(0, longestText), part]];
  });
  return {
    className,
    ...Object.fromEntries(named),
    ...(additional.length === 0 ? {} : { additionalComponents: Object.fromEntries(additional) }),
  };
}

function partOf(value: Json | undefined): { library?: string; type?: string } | undefined {
  if (!isObject(value)) return undefined;
  const [library, type] = [textOf(value.library), textOf(value.type)];
  if (library === undefined && type === undefined) return undefined;
  return { ...(library === undefined ? {} : { library }), ...(type === undefined ? {} : { type }) };
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, longestText) : undefined;
