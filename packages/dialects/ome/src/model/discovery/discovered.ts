import { type MeasuredWeights, parseMeasuredWeights } from "@trivium/engines";
import type { KubeObject } from "@trivium/kube";
import { canonicalJson, deepEqual, isObject, type Json, type JsonObject } from "@trivium/std";
import type { BaseModel } from "../../kinds/base-model.ts";
import type { DiscoveredConfig } from "../weights/node-entry.ts";
import { discoveredAnnotation, parseBefore } from "./annotation.ts";

const fields = [
  "modelType",
  "modelArchitecture",
  "modelFramework",
  "modelFormat",
  "modelParameterSize",
  "modelCapabilities",
  "apiCapabilities",
  "maxTokens",
  "quantization",
  "modelConfiguration",
  "diffusionPipeline",
] as const;

/** What was found out about a model. */
export interface Found {
  readonly config?: DiscoveredConfig | undefined;
  /** The folder that was chosen for it. */
  readonly path?: string | undefined;
  /** The claim that was looked into. */
  readonly claim?: string | undefined;
  /** Size of the weights. */
  readonly weightBytes?: number | undefined;
}

/** What the memory of its services is computed from. */
export const measuredOf = ({ metadata }: BaseModel): MeasuredWeights | undefined =>
  parseMeasuredWeights(parseBefore(metadata.annotations?.[discoveredAnnotation]).measured);

/** The claim that was looked into for what stands in the spec; another one has to be looked into anew. */
export const claimReadFor = ({ metadata }: BaseModel): string | undefined => {
  const { claim } = parseBefore(metadata.annotations?.[discoveredAnnotation]);
  return typeof claim === "string" ? claim : undefined;
};

/**
 * The fields that a person left out, with what is known of them: a small piece of the object to be applied over it. A field that was filled
 * before and has another value since is that person's now.
 */
export function fillSpec(model: BaseModel, { config, path, claim, weightBytes }: Found): KubeObject | undefined {
  const { apiVersion, kind, metadata, spec } = model;
  const before = parseBefore(metadata.annotations?.[discoveredAnnotation]);
  const filled: JsonObject = {};
  for (const field of fields) {
    const value = (config?.[field] ?? before[field]) as Json | undefined;
    if (value !== undefined && isOurs(spec[field] as Json | undefined, before[field])) filled[field] = value;
  }
  const measured = config?.measured;
  const storage = path !== undefined && isOurs(spec.storage.path, before.path) ? { storage: { path } } : {};
  const known = {
    ...filled,
    ...("storage" in storage ? { path: storage.storage.path } : {}),
    ...(claim === undefined ? {} : { claim }),
    ...(weightBytes === undefined ? {} : { weightBytes }),
    ...(measured === undefined ? {} : { measured: measured as JsonObject }),
  };
  // A size that no node reports any more is taken back.
  if (Object.keys(known).length === 0 && before.weightBytes === undefined) return undefined;
  const { name = "", namespace } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { [discoveredAnnotation]: canonicalJson(known) },
    },
    spec: { ...filled, ...storage },
  } as KubeObject;
}

/** Empty, or still what we put there. The server adds defaults to what we put there, which changes nothing. */
export function isOurs(now: Json | undefined, before: Json | undefined): boolean {
  if (now === undefined || now === "" || (Array.isArray(now) && now.length === 0)) return true;
  if (isObject(now) && isObject(before) && before.name !== undefined)
    return now.name === before.name && now.version === before.version;
  return before !== undefined && deepEqual(now, before);
}
