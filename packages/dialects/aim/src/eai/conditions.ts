import { isObject, type Json, type JsonObject } from "@trivium/std";
import { modelReasons } from "../reasons/serving.ts";

/** Types of conditions that are called otherwise in the newer group, by their older names. */
export type RenamedConditions = Readonly<Record<string, string>>;

/** Conditions that the newer group derives from other fields of the status. */
const derivedTypes = [
  "ModelReady",
  "TemplateReady",
  "InferenceServicePodsReady",
  "ServiceTemplateReady",
  "ConfigValid",
  "ImageMetadataReady",
  "AuthValid",
  "DownloadJobPodsReady",
];

const conditionsOf = ({ conditions }: JsonObject): JsonObject[] =>
  Array.isArray(conditions) ? conditions.filter(isObject) : [];

const withConditions = (status: JsonObject, by: (conditions: JsonObject[]) => JsonObject[]): JsonObject =>
  status.conditions === undefined ? status : { ...status, conditions: by(conditionsOf(status)) };

const renameTypes = (status: JsonObject, nameOf: (type: Json) => Json): JsonObject =>
  withConditions(status, (all) => all.map((one) => ({ ...one, type: nameOf(one.type ?? "") })));

export const newerTypes = (status: JsonObject, names: RenamedConditions): JsonObject =>
  renameTypes(status, (type) => names[String(type)] ?? type);

export function olderTypes(status: JsonObject, names: RenamedConditions): JsonObject {
  const older = new Map(Object.entries(names).map(([one, other]) => [other, one]));
  const kept = withConditions(status, (all) => all.filter(({ type }) => !derivedTypes.includes(String(type))));
  return renameTypes(kept, (type) => older.get(String(type)) ?? type);
}

/** A reason of one type that is called otherwise in the newer group. */
export const renameReason = (status: JsonObject, type: string, [from, to]: readonly [string, string]): JsonObject =>
  withConditions(status, (all) =>
    all.map((one) => (one.type === type && one.reason === from ? { ...one, reason: to } : one)),
  );

/** Whether the model and the template of a service are found and can serve, as conditions of their own. */
export function deriveServiceConditions(status: JsonObject): JsonObject {
  const ready = conditionsOf(status).find(({ type }) => type === "Ready");
  const resolved = conditionsOf(status).find(({ type }) => type === "Resolved");
  if (ready === undefined) return status;
  const isTemplateFound = hasName(status.resolvedTemplate);
  const isModelFound = isTemplateFound || (hasName(status.resolvedModel) && !isAboutModel(ready));
  const cause = resolved?.status === "False" ? resolved : ready;
  return withConditions(status, (all) => [
    ...all,
    isModelFound ? fine(ready, "ModelReady", modelFound) : failing(cause, "ModelReady", nameModelReason),
    ...(isModelFound
      ? [
          isTemplateFound
            ? fine(ready, "TemplateReady", templateFound)
            : failing(cause, "TemplateReady", nameTemplateReason),
        ]
      : []),
  ]);
}

/** The newer group has one reason for every state of a model or template that is not ready. */
const nameModelReason = (reason: string): string =>
  /^Model(Failed|Degraded|Pending|Progressing)$/.test(reason) ? "ModelNotReady" : reason;
const nameTemplateReason = (reason: string): string =>
  /^(Template(NotAvailable|Degraded|Failed)|Failed)$/.test(reason) ? "TemplateNotReady" : reason;

const conditionOf = (status: JsonObject, ...types: readonly string[]): JsonObject | undefined =>
  types.map((type) => conditionsOf(status).find((one) => one.type === type)).find((one) => one !== undefined);

/**
 * A condition of its own for something that another condition reports too: it fails only for some of its reasons, and is left out where
 * nothing is known yet.
 */
const derive =
  (type: string, from: readonly string[], names: Readonly<Record<string, string>>, fineReason: string) =>
  (status: JsonObject): JsonObject => {
    const cause = conditionOf(status, ...from);
    if (cause === undefined) return status;
    const isFine = cause.status === "True";
    const reason = isFine ? fineReason : names[String(cause.reason)];
    if (reason === undefined) return status;
    const { lastTransitionTime: _, ...rest } = cause;
    const derived = { ...rest, type, status: isFine ? "True" : "False", reason };
    return withConditions(status, (all) => [...all, derived]);
  };

/** Whether the pods of a service can run. */
export const derivePodConditions = derive(
  "InferenceServicePodsReady",
  ["RuntimeReady"],
  Object.fromEntries(
    ["FailedScheduling", "ImagePullAuthFailure", "ImagePullBackOff", "ImageNotFound", "RuntimeFailed"].map((reason) => [
      reason,
      reason,
    ]),
  ),
  "Healthy",
);

/** Whether the template that a cache names exists and can be used. */
export const deriveTemplateCacheConditions = derive(
  "ServiceTemplateReady",
  ["Ready"],
  {
    AwaitingTemplate: "ReferenceNotFound",
    TemplateNotReady: "TemplateNotReady",
    TemplateNotAvailable: "TemplateNotReady",
    TemplateFailed: "TemplateFailed",
  },
  "Resolved",
);

/** Whether the references of a model exist, and whether its image was found and read. */
export function deriveModelConditions(status: JsonObject): JsonObject {
  const missing = { SecretNotFound: "ReferenceNotFound", RuntimeConfigMissing: "ReferenceNotFound" };
  const config = derive("ConfigValid", ["Ready"], missing, "Valid")(status);
  const image = conditionOf(status, "MetadataExtracted", "ImageFound");
  if (image === undefined) return config;
  const { lastTransitionTime: _, ...rest } = image;
  return withConditions(config, (all) => [...all, { ...rest, type: "ImageMetadataReady" }]);
}

/** Whether a source accepted the credentials of a download, and whether the pods of its Job can work. */
export function deriveArtifactConditions(status: JsonObject): JsonObject {
  const auth = { AuthError: "AuthError", ImagePullAuthFailure: "AuthError" };
  const pods = Object.fromEntries(podReasons.map((reason) => [reason, reason]));
  const from = ["DownloadComplete"];
  return derive("DownloadJobPodsReady", from, pods, "Healthy")(derive("AuthValid", from, auth, "Valid")(status));
}

const podReasons = [
  "AuthError",
  "StorageFull",
  "SourceNotFound",
  "SourceNotAllowed",
  "SourceUnreachable",
  "VerificationFailed",
  "PodOOMKilled",
  "ImagePullAuthFailure",
  "ImageNotFound",
  "ImagePullBackOff",
  "FailedScheduling",
  "CreateContainerConfigError",
  "FailedMount",
  "FailedAttachVolume",
  "FailedCreatePodSandBox",
  "DownloadFailed",
];

const modelFound = { reason: "ModelResolved", message: "The model is ready" };
const templateFound = { reason: "Resolved", message: "The template is ready" };

const hasName = (reference: Json | undefined): boolean => isObject(reference) && typeof reference.name === "string";
const isAboutModel = ({ reason, status }: JsonObject): boolean =>
  status !== "True" && modelReasons.some((one) => one === reason);

const fine = ({ observedGeneration }: JsonObject, type: string, found: typeof modelFound): JsonObject => ({
  type,
  status: "True",
  ...found,
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});

/** With the cause and the remedy of the condition that has them. */
const failing = (cause: JsonObject, type: string, nameReason: (reason: string) => string): JsonObject => {
  const { lastTransitionTime: _, ...rest } = cause;
  return { ...rest, type, status: "False", reason: nameReason(String(cause.reason)) };
};
