import type { KubeObject } from "@trivium/kube";
import { BaseModel } from "./kinds/base-model.ts";

/** The storage of a model. */
export function sourceOf(object: KubeObject): string | undefined {
  return object.kind === BaseModel.kind ? ((object as BaseModel).spec.storage?.storageUri ?? undefined) : undefined;
}
