import type { DownloadProgress } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { InferenceService } from "./kinds/inference-service.ts";

/** The download that the status of an object reports: a service has it. */
export const downloadOf = (object: KubeObject): DownloadProgress | undefined =>
  object.kind === "InferenceService" ? (object as InferenceService).status?.download : undefined;
