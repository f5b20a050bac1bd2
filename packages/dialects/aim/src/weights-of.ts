import type { NamedWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { ModelCache } from "./model-cache/names/names.ts";

/** The weights that a model cache downloads. */
export function weightsOf(object: KubeObject): NamedWeights | undefined {
  if (object.kind !== "AIMModelCache") return undefined;
  const { sourceUri } = (object as ModelCache).spec;
  return /^(?:pvc|file):/.test(sourceUri) ? undefined : { source: sourceUri, files: [] };
}
