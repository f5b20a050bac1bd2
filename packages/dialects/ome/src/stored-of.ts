import type { StoredWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { BaseModel } from "./kinds/base-model.ts";
import { weightBytesOf } from "./model/discovery/annotation.ts";

/** Nodes have the weights of a model on their disks. */
export function storedOf(object: KubeObject): StoredWeights | undefined {
  if (object.kind !== "BaseModel" && object.kind !== "ClusterBaseModel") return undefined;
  const model = object as BaseModel;
  const { nodesReady, downloads = [] } = model.status ?? {};
  const bytes = weightBytesOf(model) ?? downloads.find(({ bytesTotal }) => bytesTotal !== undefined)?.bytesTotal;
  return { bytes, nodes: nodesReady };
}
