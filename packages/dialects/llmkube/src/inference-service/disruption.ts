import { Pod } from "@trivium/kube";
import type { Touch } from "@trivium/reconcile";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { ServiceSeen } from "./observe.ts";

/** By this Karpenter leaves a pod where it is. */
export const shieldAnnotation = "karpenter.sh/do-not-disrupt";
/** Nodes that Karpenter made, and may take away, have it. */
export const karpenterLabel = "karpenter.sh/nodepool";

/**
 * Loading weights takes long, so pods on nodes of Karpenter are left in peace until they are ready. The pods carry it and not their
 * template, since taking it back there would start them anew.
 */
export function shieldPods({ metadata }: InferenceService, { pods }: ServiceSeen): Touch[] {
  return pods.flatMap(({ name, shield }): Touch[] => {
    if (shield === undefined) return [];
    const annotations = shield === "wanted" ? { annotations: { [shieldAnnotation]: "true" } } : {};
    const object: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: metadata.namespace ?? "", ...annotations },
    };
    return [{ touch: "fields", kind: Pod, object }];
  });
}
