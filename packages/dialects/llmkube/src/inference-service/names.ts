import { nameWithHash } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";

const prefix = "inference.llmkube.dev";

/** Which template a pod was made from. */
export const templateAnnotation = `${prefix}/template`;
/** Of the source of the weights, where pods must follow it. */
export const sourceAnnotation = `${prefix}/source-version`;

export function labelsOf({ metadata, spec }: InferenceService): Record<string, string> {
  return {
    ...selectorOf({ metadata }),
    [`${prefix}/model`]: spec.modelRef,
    [`${prefix}/runtime`]: spec.runtime ?? "llamacpp",
  };
}

/** Without the Model, so that a service can change it and keep its Deployment. */
export function selectorOf({ metadata }: Pick<InferenceService, "metadata">): Record<string, string> {
  const name = metadata.name ?? "";
  return { app: name, [`${prefix}/service`]: name };
}

/** A Service is named by a DNS label, and dots are none. */
export function serviceNameOf({ metadata }: InferenceService): string {
  const name = (metadata.name ?? "").replaceAll(".", "-");
  return name.length <= 63 ? name : nameWithHash(name, name, 63);
}
