import type { ScaledPlan, ScaleTrigger } from "@trivium/domain";
import { ScaledObject } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

export function emitScaledObject(plan: ScaledPlan): Desired<ScaledObject> {
  const { target, min, max, idle, pollingInterval, cooldownPeriod, behavior } = plan;
  const object: ScaledObject = {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: metadataOf(plan),
    spec: {
      scaleTargetRef: { ...target },
      minReplicaCount: min,
      maxReplicaCount: max,
      ...(idle === undefined ? {} : { idleReplicaCount: idle }),
      ...(pollingInterval === undefined ? {} : { pollingInterval }),
      ...(cooldownPeriod === undefined ? {} : { cooldownPeriod }),
      ...(behavior === undefined ? {} : { advanced: { horizontalPodAutoscalerConfig: { behavior } } }),
      triggers: plan.triggers.map(triggerOf),
    },
  };
  return { kind: ScaledObject, object };
}

function triggerOf({ type, name, metadata, metricType, authentication }: ScaleTrigger) {
  return {
    type,
    ...(name === undefined ? {} : { name }),
    metadata: { ...metadata },
    ...(metricType === undefined ? {} : { metricType }),
    ...(authentication === undefined ? {} : { authenticationRef: { ...authentication } }),
  };
}
