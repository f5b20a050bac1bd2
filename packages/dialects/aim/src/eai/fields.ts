import { isObject, type Json, type JsonObject } from "@trivium/std";
import {
  deriveArtifactConditions,
  deriveModelConditions,
  derivePodConditions,
  deriveServiceConditions,
  deriveTemplateCacheConditions,
  newerTypes,
  olderTypes,
  type RenamedConditions,
  renameReason,
} from "./conditions.ts";
import { newerFailure, newerHardware, newerStateOf, olderFailure, olderHardware, olderStateOf } from "./states.ts";

/** What differs between the two groups in a kind of the older one: each pair is a part of the object, read and written. */
export interface FieldTranslation {
  readonly olderSpec?: (spec: JsonObject) => JsonObject;
  readonly newerSpec?: (spec: JsonObject) => JsonObject;
  readonly olderStatus?: (status: JsonObject) => JsonObject;
  readonly newerStatus?: (status: JsonObject) => JsonObject;
}

/** The newer group has two modes; its older words mean one of them. */
const modes: Readonly<Record<string, string>> = {
  Shared: "Shared",
  Always: "Shared",
  Auto: "Shared",
  Dedicated: "Dedicated",
  Never: "Dedicated",
};

/** Image that stands for the download of the operator itself, in each group. */
const downloadImages = {
  older: "kserve/storage-initializer:v0.16.0",
  newer: "ghcr.io/silogen/aim-artifact-downloader:0.2.0",
};

const renameKey = (object: JsonObject, from: string, to: string): JsonObject => {
  const { [from]: value, ...rest } = object;
  return value === undefined || to in rest ? rest : { ...rest, [to]: value };
};

const replaceValue = (object: JsonObject, key: string, by: (value: Json) => Json): JsonObject => {
  const value = object[key];
  return value === undefined ? object : { ...object, [key]: by(value) };
};

/** A cache that has all weights is `Available` in the older group and `Ready` in the newer. */
const olderState = (status: JsonObject): JsonObject =>
  replaceValue(status, "status", (state) => (state === "Ready" ? "Available" : asOlderState(state)));
const newerState = (status: JsonObject): JsonObject =>
  replaceValue(status, "status", (state) => (state === "Available" ? "Ready" : state));

/** States that only AIM Engine writes. */
const asOlderState = (state: Json): Json => (state === "Degraded" || state === "NotAvailable" ? "Pending" : state);

const eachValue =
  (by: (value: JsonObject) => JsonObject) =>
  (value: Json): Json =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isObject(one) ? by(one) : one]))
      : value;

const olderArtifacts = (status: JsonObject): JsonObject =>
  replaceValue(renameKey(status, "artifacts", "modelCaches"), "modelCaches", eachValue(olderState));
const newerArtifacts = (status: JsonObject): JsonObject =>
  replaceValue(renameKey(status, "modelCaches", "artifacts"), "artifacts", eachValue(newerState));

const olderService = (status: JsonObject): JsonObject => {
  const { cache, ...rest } = status;
  const reference = isObject(cache) ? cache.templateCacheRef : undefined;
  return olderArtifacts({ ...rest, ...(reference === undefined ? {} : { resolvedTemplateCache: reference }) });
};

const newerService = (status: JsonObject): JsonObject => {
  const { resolvedTemplateCache: templateCacheRef, ...rest } = status;
  return newerArtifacts({ ...rest, ...(templateCacheRef === undefined ? {} : { cache: { templateCacheRef } }) });
};

const servicesMode = (spec: JsonObject): JsonObject => {
  const { cacheModel: _, caching, ...rest } = spec;
  const given = isObject(caching) ? caching : {};
  const mode = typeof given.mode === "string" ? modes[given.mode] : undefined;
  return { ...rest, caching: { ...given, mode: mode ?? "Shared" } };
};

/** What the older group assumes where a service says nothing, as far as the newer group has it. */
const statedMode = (spec: JsonObject): JsonObject => {
  const { cacheModel, caching, ...rest } = spec;
  const given = isObject(caching) ? caching : {};
  const isCustom = isObject(spec.model) && spec.model.custom !== undefined;
  const mode = given.mode ?? (cacheModel === true ? "Shared" : isCustom ? "Dedicated" : undefined);
  const stated = { ...given, ...(mode === undefined ? {} : { mode }) };
  return Object.keys(stated).length === 0 ? rest : { ...rest, caching: stated };
};

/** The newer group has one name for the model and one for the template. */
const newerNames = (spec: JsonObject): JsonObject => {
  const { aimImageName, templateRef, ...rest } = spec;
  const model = { ...(aimImageName === undefined ? {} : { ref: aimImageName }), ...partOf(rest.model) };
  const template = { ...(templateRef === undefined ? {} : { name: templateRef }), ...partOf(rest.template) };
  return {
    ...rest,
    ...(Object.keys(model).length === 0 ? {} : { model: renameKey(model, "ref", "name") }),
    ...(Object.keys(template).length === 0 ? {} : { template }),
  };
};

const partOf = (part: Json | undefined): JsonObject => (isObject(part) ? part : {});

/** The newer group has one place for the GPU of a template. */
const newerGpu = (spec: JsonObject): JsonObject => {
  const { gpuSelector, hardware, ...rest } = spec;
  if (!isObject(gpuSelector)) return spec;
  const { gpu, ...others } = partOf(hardware);
  const selected = renameKey(gpuSelector, "count", "requests");
  return { ...rest, hardware: { ...others, gpu: { ...selected, ...partOf(gpu) } } };
};

const namedModel: FieldTranslation = {
  newerSpec: (spec) => newerGpu(renameKey(spec, "aimImageName", "modelName")),
  olderStatus: olderHardware,
  newerStatus: newerHardware,
};

const withImage =
  (from: string, to: string) =>
  (spec: JsonObject): JsonObject =>
    replaceValue(spec, "modelDownloadImage", (image) => (image === from ? to : image));

const sequence = (status: JsonObject, by: (value: Json) => Json): JsonObject =>
  replaceValue(status, "download", (download) =>
    isObject(download) ? replaceValue(download, "protocolSequence", by) : download,
  );

const serviceTypes: RenamedConditions = { RuntimeReady: "InferenceServiceReady", RoutingReady: "HTTPRouteReady" };
const templateCacheTypes: RenamedConditions = { Resolved: "TemplateFound", CacheWarm: "ArtifactsReady" };

/** What a service calls a cache with all weights. */
const cacheWords = { newer: ["CacheWarm", "CacheReady"], older: ["CacheReady", "CacheWarm"] } as const;

const ofModel = (kind: string): FieldTranslation => ({
  olderStatus: (status) => olderStateOf(kind)(olderTypes(status, {})),
  newerStatus: (status) => newerStateOf(kind)(deriveModelConditions(status)),
});

/** By the kind of the older group; a kind that is not listed has the same fields in both. */
export const translations: Readonly<Record<string, FieldTranslation>> = {
  AIMService: {
    olderSpec: servicesMode,
    newerSpec: (spec) => newerNames(statedMode(spec)),
    olderStatus: (status) =>
      olderStateOf("AIMService")(
        renameReason(olderTypes(olderService(status), serviceTypes), "CacheReady", cacheWords.older),
      ),
    newerStatus: (status) =>
      newerStateOf("AIMService")(
        renameReason(
          newerTypes(derivePodConditions(deriveServiceConditions(newerService(status))), serviceTypes),
          "CacheReady",
          cacheWords.newer,
        ),
      ),
  },
  AIMModel: ofModel("AIMModel"),
  AIMClusterModel: ofModel("AIMClusterModel"),
  AIMServiceTemplate: namedModel,
  AIMClusterServiceTemplate: namedModel,
  AIMTemplateCache: {
    newerSpec: (spec) => renameKey(spec, "templateRef", "templateName"),
    olderStatus: (status) =>
      olderStateOf("AIMTemplateCache")(olderTypes(olderState(olderArtifacts(status)), templateCacheTypes)),
    newerStatus: (status) =>
      newerStateOf("AIMTemplateCache")(
        newerTypes(deriveTemplateCacheConditions(newerState(newerArtifacts(status))), templateCacheTypes),
      ),
  },
  AIMModelCache: {
    olderSpec: withImage(downloadImages.newer, downloadImages.older),
    newerSpec: withImage(downloadImages.older, downloadImages.newer),
    olderStatus: (status) =>
      olderFailure(
        olderTypes(olderState(sequence(status, (words) => (typeof words === "string" ? words.split(",") : words))), {}),
      ),
    newerStatus: (status) =>
      newerFailure(
        deriveArtifactConditions(
          newerState(sequence(status, (words) => (Array.isArray(words) ? words.join(",") : words))),
        ),
      ),
  },
};
