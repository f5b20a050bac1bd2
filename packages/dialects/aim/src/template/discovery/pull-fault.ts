import type { Failure } from "@trivium/domain";
import { diagnose, formatDiagnosis } from "@trivium/engines";
import { catalogPaths } from "../../field-paths.ts";
import { imageReasonOf } from "../../image-reasons.ts";

interface PullFault {
  readonly reason: "ImagePullAuthFailure" | "ImageNotFound" | "ImagePullBackOff";
  readonly message: string;
}

/** Why a pod cannot have its image, in the words of whoever tried to pull it. */
export function pullFault(failure: Failure | undefined): PullFault | undefined {
  if (failure?.kind !== "image") return undefined;
  const message = formatDiagnosis(diagnose(failure, { paths: modelPaths }));
  return { reason: imageReasonOf(failure), message };
}

/** The image that a template looks into is its model's. */
const modelPaths = { ...catalogPaths, image: "spec.image of the model" };
