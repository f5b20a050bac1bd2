import type { MeasuredWeights } from "@trivium/engines";
import { findCondition } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { absent, type Fact, known, once } from "@trivium/std";
import { BaseModel, ClusterBaseModel } from "../../kinds/base-model.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { weightBytesOf } from "../../model/discovery/annotation.ts";
import { measuredOf } from "../../model/discovery/discovered.ts";
import type { OmeOptions } from "../../options.ts";
import type { ModelTraits } from "../../selection/index.ts";
import { type ModelPlace, placeOf } from "../../storage/place.ts";
import type { ServedWeights } from "../adapters/resolve-weights.ts";

/** What of a model matters to a service of it. */
export interface ObservedModel {
  readonly name: string;
  readonly scope: "namespace" | "cluster";
  readonly place: ModelPlace;
  readonly traits: ModelTraits;
  readonly format?: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly vendor?: string | undefined;
  readonly category?: string | undefined;
  readonly isDisabled: boolean;
  readonly state?: string | undefined;
  readonly nodesReady: readonly string[];
  readonly nodesFailed: readonly string[];
  /** Why it is not ready, in its own words. */
  readonly why?: string | undefined;
  /** No node can load it, so it is not downloaded. */
  readonly isMisfit?: true | undefined;
  readonly storage: ModelStorage;
  /** Size of the weights, where files or a download say so. */
  readonly weightBytes?: number | undefined;
  /** What files say of its layers. */
  readonly measured?: MeasuredWeights | undefined;
  /** What is served on top of it or instead of it; resolved, not seen. */
  readonly weights?: ServedWeights | undefined;
  /** Which keys decrypt it; its pods are told by annotations. */
  readonly decryption?: Readonly<Record<string, string>> | undefined;
}

/** What the listing of the model says of where it comes from; nothing secret. */
export interface ModelStorage {
  readonly storageUri: string;
  /** Name of the Secret, not what is in it. */
  readonly storageKey?: string | undefined;
  readonly schemaPath?: string | undefined;
  readonly modelType?: string | undefined;
}

/** One that says BaseModel means that; the other word is also what the schema puts there for people who say nothing. */
export function observeModel(
  { metadata, spec }: InferenceService,
  reader: Reader<typeof BaseModel | typeof ClusterBaseModel>,
  options: OmeOptions,
): Fact<ObservedModel> {
  const name = spec.model?.name;
  if (!name) return absent;
  const twin = spec.model?.kind === "BaseModel" ? [BaseModel] : [BaseModel, ClusterBaseModel];
  const found = reader.nearest(twin, { namespace: metadata.namespace, name });
  return found.is === "known" ? known(observedModel(found.value, options)) : found;
}

/** The same object for the same spec, by which it is known that it was compared before. */
const traitsOf: (spec: BaseModel["spec"]) => ModelTraits = once((spec) => {
  const { modelFormat, modelFramework, modelArchitecture, quantization, modelParameterSize, diffusionPipeline } = spec;
  const traits = {
    modelFormat,
    modelFramework,
    modelArchitecture,
    quantization,
    modelParameterSize,
    diffusionPipeline,
  };
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));
});

function observedModel(model: BaseModel, options: OmeOptions): ObservedModel {
  const { metadata, spec, status } = model;
  const weightBytes = weightBytesOf(model);
  const measured = measuredOf(model);
  const { modelFormat } = spec;
  return {
    name: metadata.name ?? "",
    scope: metadata.namespace === undefined ? "cluster" : "namespace",
    place: placeOf(model, options),
    traits: traitsOf(spec),
    ...(modelFormat === undefined ? {} : { format: { name: modelFormat.name, version: modelFormat.version } }),
    vendor: spec.vendor,
    category: metadata.annotations?.["models.ome.io/category"],
    isDisabled: spec.disabled === true,
    state: status?.state,
    nodesReady: status?.nodesReady ?? [],
    nodesFailed: status?.nodesFailed ?? [],
    ...whyUnready(status),
    storage: {
      storageUri: spec.storage.storageUri,
      ...(spec.storage.key ? { storageKey: spec.storage.key } : {}),
      schemaPath: spec.storage.schemaPath,
      modelType: spec.modelType,
    },
    ...decryptionOf(model),
    ...(weightBytes === undefined ? {} : { weightBytes }),
    ...(measured === undefined ? {} : { measured }),
  };
}

const decryptionKeys = ["ome.io/base-model-decryption-key-name", "ome.io/base-model-decryption-secret-name"];

function decryptionOf({ metadata }: BaseModel): Pick<ObservedModel, "decryption"> {
  const found = Object.entries(metadata.annotations ?? {}).filter(([key]) => decryptionKeys.includes(key));
  return found.length === 0 ? {} : { decryption: Object.fromEntries(found) };
}

/** Its own sentence for not being ready. */
function whyUnready(status: BaseModel["status"]): Pick<ObservedModel, "why" | "isMisfit"> {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready === undefined || ready.status === "True") return {};
  return { why: ready.message, ...(ready.reason === "DoesNotFit" ? { isMisfit: true as const } : {}) };
}
