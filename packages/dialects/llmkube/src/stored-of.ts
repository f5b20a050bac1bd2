import type { StoredWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { Model } from "./kinds/model.ts";
import { modelLabel } from "./names.ts";

/** Pods of services have the weights of a Model, on the claim that they share or in themselves. */
export function storedOf(object: KubeObject): StoredWeights | undefined {
  if (object.kind !== "Model") return undefined;
  const { metadata, status } = object as Model;
  const { weights, sourceContentLength, sha256 } = status ?? {};
  return {
    bytes: weights?.bytes ?? sourceContentLength ?? undefined,
    sha256: sha256 ?? undefined,
    readers: { [modelLabel]: metadata.name ?? "" },
  };
}
