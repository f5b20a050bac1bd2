import type { NamedWeights } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { Model } from "./kinds/model.ts";

/** The weights that a Model downloads; a claim and a folder of the node hold theirs already. */
export function weightsOf(object: KubeObject): NamedWeights | undefined {
  if (object.kind !== "Model") return undefined;
  const { source, files } = (object as Model).spec;
  return /^(?:pvc|file):|^\//.test(source) ? undefined : { source, files: files ?? [] };
}
