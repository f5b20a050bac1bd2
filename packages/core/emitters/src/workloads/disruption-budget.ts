import type { DisruptionPlan } from "@trivium/domain";
import { PodDisruptionBudget } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

export function emitDisruptionBudget(plan: DisruptionPlan): Desired<PodDisruptionBudget> {
  const object: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(plan),
    spec: plan.spec,
  };
  return { kind: PodDisruptionBudget, object };
}
