import type { DecidedCondition, KubeObject } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { BaseModel } from "../../kinds/base-model.ts";
import type { ModelReason } from "../../reasons.ts";
import type { Stored } from "../../storage/place.ts";
import type { ReportedDownload } from "../weights/downloads.ts";

export type FileStatus = NonNullable<BaseModel["status"]>;
type State = NonNullable<FileStatus["state"]>;

/** What can be said of the files of a model, or of weights: one sentence, and the nodes that it is about. */
export interface FilesReported {
  readonly state: State;
  readonly reason: ModelReason;
  readonly message: string;
  readonly nodesReady?: readonly string[];
  readonly nodesFailed?: readonly string[];
  /** How far the nodes are that download. */
  readonly downloads?: readonly ReportedDownload[];
}

export const warning = (reason: ModelReason, message: string): Note => ({ type: "Warning", reason, message });

/** People set the stage of life; it stays as they left it. */
export function fileStatus(
  object: Stored,
  reported: FilesReported,
  more: readonly DecidedCondition[] = [],
): FileStatus {
  const { lifecycle } = object.status ?? {};
  const { state, reason, message, nodesReady = [], nodesFailed = [], downloads = [] } = reported;
  const status = state === "Ready" ? "True" : state === "Failed" ? "False" : "Unknown";
  const ready: DecidedCondition = { type: "Ready", status, reason, message };
  return {
    ...(lifecycle === undefined ? {} : { lifecycle }),
    state,
    nodesReady: [...nodesReady],
    nodesFailed: [...nodesFailed],
    ...(downloads.length === 0 ? {} : { downloads: [...downloads] }),
    conditions: [ready, ...more].map((one) => observedAt(object, one)) as NonNullable<FileStatus["conditions"]>,
  };
}

export function observedAt({ metadata }: Pick<KubeObject, "metadata">, condition: DecidedCondition): DecidedCondition {
  const { generation } = metadata;
  return generation === undefined ? condition : { ...condition, observedGeneration: generation };
}
