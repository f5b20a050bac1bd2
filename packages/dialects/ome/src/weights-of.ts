import type { NamedWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { BaseModel } from "./kinds/base-model.ts";

/** The weights that nodes download for a model; a claim and a folder of the node hold theirs already. */
export function weightsOf(object: KubeObject): NamedWeights | undefined {
  if (object.kind !== "BaseModel" && object.kind !== "ClusterBaseModel") return undefined;
  const { storageUri } = (object as BaseModel).spec.storage ?? {};
  return storageUri === undefined || /^(?:pvc|local):/.test(storageUri) ? undefined : { source: storageUri, files: [] };
}
