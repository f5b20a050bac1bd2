import type { KubeObject } from "@trivium/kube";
import type { ModelCache } from "./model-cache/names/names.ts";
import type { Model } from "./objects.ts";
import type { Service } from "./service/names/names.ts";

const models: readonly string[] = ["AIMModel", "AIMClusterModel", "AIMImage", "AIMClusterImage"];

/** The weights of a custom model, of a cache, or of the custom model in the spec of a service; the image of a model that brings its own. */
export function sourceOf(object: KubeObject): string | undefined {
  if (object.kind === "AIMModelCache") return (object as ModelCache).spec.sourceUri;
  if (models.includes(object.kind)) {
    const { image, modelSources = [] } = (object as Model).spec;
    return modelSources.length === 0 ? image : modelSources.map(({ sourceUri }) => sourceUri).join(" ");
  }
  if (object.kind !== "AIMService") return undefined;
  return (object as Service).spec.model?.custom?.modelSources?.[0]?.sourceUri ?? undefined;
}
