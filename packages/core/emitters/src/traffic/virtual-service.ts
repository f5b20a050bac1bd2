import type { VirtualServicePlan } from "@trivium/domain";
import { VirtualService } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

export function emitVirtualService(plan: VirtualServicePlan): Desired<VirtualService> {
  const object: VirtualService = {
    apiVersion: "networking.istio.io/v1beta1",
    kind: "VirtualService",
    metadata: metadataOf(plan),
    spec: plan.spec,
  };
  return { kind: VirtualService, object };
}
