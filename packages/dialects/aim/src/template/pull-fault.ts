import type { Trouble } from "@trivium/domain";
import { classifyImage, diagnose, formatDiagnosis } from "@trivium/engines";
import { catalogPaths } from "../field-paths.ts";
import { imageReasons } from "../image-reasons.ts";

export interface PullFault {
  readonly reason: "ImagePullAuthFailure" | "ImageNotFound" | "ImagePullBackOff";
  readonly message: string;
}

/** Why a pod cannot have its image, in the words of whoever tried to pull it. */
export function pullFault(trouble: Trouble | undefined): PullFault | undefined {
  if (trouble?.kind !== "image") return undefined;
  const message = formatDiagnosis(diagnose(trouble, { paths: modelPaths }));
  return { reason: imageReasons[classifyImage(trouble.message)], message };
}

/** The image that a template looks into is its model's. */
const modelPaths = { ...catalogPaths, image: "spec.image of the model" };
