import type { KubeObject } from "@trivium/kube";
import { BaseModel, ClusterBaseModel } from "./kinds/base-model.ts";
import { FineTunedWeight } from "./kinds/fine-tuned-weight.ts";

const stored: readonly string[] = [BaseModel.kind, ClusterBaseModel.kind, FineTunedWeight.kind];

/** The storage of a model, or of weights that were fine-tuned from one. */
export function sourceOf(object: KubeObject): string | undefined {
  return stored.includes(object.kind) ? ((object as BaseModel).spec.storage?.storageUri ?? undefined) : undefined;
}
