import type { StoredWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { ModelCache } from "./model-cache/names/names.ts";

/** A model cache has its weights on a claim of its own. */
export function storedOf(object: KubeObject): StoredWeights | undefined {
  if (object.kind !== "AIMModelCache") return undefined;
  const { discoveredSizeBytes, progress, persistentVolumeClaim } = (object as ModelCache).status ?? {};
  return { bytes: discoveredSizeBytes ?? progress?.totalBytes, claim: persistentVolumeClaim };
}
