import type { ServiceSummary } from "@trivium/domain";
import { choiceAnnotation } from "@trivium/engines";
import type { KubeObject } from "@trivium/kube";
import type { InferenceService } from "./kinds/inference-service.ts";

/** The runtime of a service: the one that was selected, else the one that it names. This API reports no numbers of replicas. */
export function summarizeService(object: KubeObject): ServiceSummary {
  const { spec, status } = object as InferenceService;
  return { profile: selectedIn(status?.annotations) ?? spec.runtime?.name };
}

/** Anybody who can write a status can write the annotation. */
function selectedIn(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  try {
    const { chosen } = JSON.parse(annotations?.[choiceAnnotation] ?? "{}") as { readonly chosen?: unknown };
    return typeof chosen === "string" ? chosen : undefined;
  } catch {
    return undefined;
  }
}
