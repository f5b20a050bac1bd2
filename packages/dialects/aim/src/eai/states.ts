import { isObject, type Json, type JsonObject } from "@trivium/std";

/** The state of an object for a reason, in each group. What waits for an object that it names is `Failed` in the newer one until it exists. */
interface StateRow {
  /** Of the condition `Ready`, in the words of the older group. */
  readonly reason: string;
  readonly older: string;
  readonly newer: string;
  /** Left out: the same word. */
  readonly newerReason?: string;
}

const rows: Readonly<Record<string, readonly StateRow[]>> = {
  AIMService: [
    { reason: "ModelNotFound", older: "Pending", newer: "Failed" },
    // A template that the service names, and any template of its model; one that is being created is its own case.
    { reason: "TemplateNotFound", older: "Degraded", newer: "Failed" },
    { reason: "TemplateNotFound", older: "Failed", newer: "Pending" },
    { reason: "TemplateNotFound", older: "Pending", newer: "Pending", newerReason: "TemplateCreating" },
  ],
  AIMModel: [{ reason: "RuntimeConfigMissing", older: "Degraded", newer: "Failed" }],
  AIMClusterModel: [{ reason: "RuntimeConfigMissing", older: "Degraded", newer: "Failed" }],
  AIMTemplateCache: [
    { reason: "AwaitingTemplate", older: "Pending", newer: "Failed", newerReason: "ReferenceNotFound" },
    { reason: "TemplateNotAvailable", older: "Pending", newer: "NotAvailable" },
  ],
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
    const reason = reasonOf(status, "Ready");
    const row = rows[kind]?.find((one) => one.older === status.status && one.reason === reason);
    return row === undefined ? status : withReason({ ...status, status: row.newer }, "Ready", newerReasonOf(row));
  };

export const olderStateOf =
  (kind: string) =>
  (status: JsonObject): JsonObject => {
    const reason = reasonOf(status, "Ready");
    const row = rows[kind]?.find((one) => one.newer === status.status && newerReasonOf(one) === reason);
    return row === undefined ? status : withReason({ ...status, status: row.older }, "Ready", row.reason);
  };

const newerReasonOf = ({ reason, newerReason = reason }: StateRow): string => newerReason;

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
