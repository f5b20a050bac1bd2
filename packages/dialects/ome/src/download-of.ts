import type { DownloadProgress } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { BaseModel } from "./kinds/base-model.ts";

/** The download that the status of an object reports: a model has one for each node, of which the furthest counts. */
export function downloadOf(object: KubeObject): DownloadProgress | undefined {
  if (object.kind !== "BaseModel" && object.kind !== "ClusterBaseModel") return undefined;
  const { downloads = [] } = (object as BaseModel).status ?? {};
  const [furthest] = downloads.toSorted((a, b) => (b.bytesDone ?? 0) - (a.bytesDone ?? 0));
  return furthest?.bytesDone === undefined ? undefined : { ...furthest, bytesDone: furthest.bytesDone };
}
