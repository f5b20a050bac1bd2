import type { api } from "@trivium/kube";
import { parseImageReference, splitRegistry } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";

export const isImageTag = (text: string): boolean => /^\w[\w.-]{0,127}$/.test(text);

/** `predictor.model.runtimeVersion`: the image of the runtime with this tag instead of its own. */
export function withRuntimeVersion(container: api.Container, { spec }: InferenceService): api.Container {
  const tag = spec.predictor?.model?.runtimeVersion;
  const image = parseImageReference(container.image ?? "");
  if (!tag || image === undefined || !isImageTag(tag)) return container;
  const { registry, isNamed } = splitRegistry(container.image ?? "");
  return { ...container, image: `${isNamed ? `${registry}/` : ""}${image.repository}:${tag}` };
}
