import type { StoredWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import { AIMModelCache } from "./kinds/model-cache.ts";
import type { ModelCache } from "./model-cache/names/names.ts";

/** A model cache has its weights on a claim of its own. */
export function storedOf(object: KubeObject): StoredWeights | undefined {
  if (object.kind !== AIMModelCache.kind) return undefined;
  const { discoveredSizeBytes, progress, persistentVolumeClaim } = (object as ModelCache).status ?? {};
  return { bytes: discoveredSizeBytes ?? progress?.totalBytes, claim: persistentVolumeClaim };
}
