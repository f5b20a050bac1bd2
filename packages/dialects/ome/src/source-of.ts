import type { KubeObject } from "@trivium/kube";
import type { BaseModel } from "./kinds/base-model.ts";

const stored: readonly string[] = ["BaseModel", "ClusterBaseModel", "FineTunedWeight"];

/** The storage of a model, or of weights that were fine-tuned from one. */
export function sourceOf(object: KubeObject): string | undefined {
  return stored.includes(object.kind) ? ((object as BaseModel).spec.storage?.storageUri ?? undefined) : undefined;
}
