import { isObject, type Json, type JsonObject } from "@trivium/std";

/** What an object is said to be for a reason, in each group. What waits for another object is `Failed` in the newer one until it exists. */
interface StateRow {
  /** Of the condition `Ready`, in the words of the older group. */
  readonly reason: string;
  readonly older: string;
  readonly newer: string;
  /** Left out: the same word. */
  readonly newerReason?: string;
}

const rows: Readonly<Record<string, StateRow>> = {
  AIMService: { reason: "ModelNotFound", older: "Pending", newer: "Failed" },
  AIMModel: { reason: "RuntimeConfigMissing", older: "Degraded", newer: "Failed" },
  AIMClusterModel: { reason: "RuntimeConfigMissing", older: "Degraded", newer: "Failed" },
  AIMTemplateCache: {
    reason: "AwaitingTemplate",
    older: "Pending",
    newer: "Failed",
    newerReason: "ReferenceNotFound",
  },
};

const conditionsOf = ({ conditions }: JsonObject): JsonObject[] =>
  Array.isArray(conditions) ? conditions.filter(isObject) : [];

const reasonOf = (status: JsonObject, wanted: string): Json | undefined =>
  conditionsOf(status).find(({ type, status: value }) => type === wanted && value === "False")?.reason;

const withReason = (status: JsonObject, wanted: string, reason: Json): JsonObject => ({
  ...status,
  conditions: conditionsOf(status).map((one) => (one.type === wanted ? { ...one, reason } : one)),
});

export const newerStateOf =
  (kind: string) =>
  (status: JsonObject): JsonObject => {
    const row = rows[kind];
    if (row === undefined || status.status !== row.older || reasonOf(status, "Ready") !== row.reason) return status;
    return withReason({ ...status, status: row.newer }, "Ready", row.newerReason ?? row.reason);
  };

export const olderStateOf =
  (kind: string) =>
  (status: JsonObject): JsonObject => {
    const row = rows[kind];
    if (row === undefined || status.status !== row.newer) return status;
    if (reasonOf(status, "Ready") !== (row.newerReason ?? row.reason)) return status;
    return withReason({ ...status, status: row.older }, "Ready", row.reason);
  };

/** Why a download was given up, as `Ready` of an artifact names it, by the reason of `DownloadComplete`. */
const givenUp = new Map([
  ["AuthError", "AuthError"],
  ["StorageFull", "StorageFull"],
  ["SourceNotFound", "InvalidSpec"],
]);
const coarse = "DownloadFailed";
const noShare = "N/A";

/** `Ready` of an artifact that failed names the cause, and its progress is none. */
export function newerFailure(status: JsonObject): JsonObject {
  if (status.status !== "Failed") return status;
  const cause = givenUp.get(String(reasonOf(status, "DownloadComplete")));
  const named =
    cause === undefined || reasonOf(status, "Ready") !== coarse ? status : withReason(status, "Ready", cause);
  return named.progress === undefined ? { ...named, progress: { displayPercentage: noShare } } : named;
}

export function olderFailure(status: JsonObject): JsonObject {
  const { progress, ...rest } = status;
  const isNone = isObject(progress) && progress.displayPercentage === noShare;
  const read = isNone ? rest : status;
  const isNamed = [...givenUp.values()].includes(String(reasonOf(read, "Ready")));
  return isNamed && status.status === "Failed" ? withReason(read, "Ready", coarse) : read;
}

/** The newer group names the GPU of a template where it is one model. */
export function newerHardware(status: JsonObject): JsonObject {
  const { resolvedHardware } = status;
  const gpu = isObject(resolvedHardware) ? resolvedHardware.gpu : undefined;
  if (!isObject(resolvedHardware) || !isObject(gpu) || !Array.isArray(gpu.models) || gpu.models.length !== 1)
    return status;
  const [model = ""] = gpu.models;
  return { ...status, resolvedHardware: { ...resolvedHardware, gpu: { ...gpu, model } } };
}

export function olderHardware(status: JsonObject): JsonObject {
  const { resolvedHardware } = status;
  const gpu = isObject(resolvedHardware) ? resolvedHardware.gpu : undefined;
  if (!isObject(resolvedHardware) || !isObject(gpu) || !Array.isArray(gpu.models)) return status;
  const { model: _, ...rest } = gpu;
  return { ...status, resolvedHardware: { ...resolvedHardware, gpu: rest } };
}
