import type { ConfigPlan } from "@trivium/domain";
import { ConfigMap } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "./metadata.ts";

export function emitConfigMap(plan: ConfigPlan): Desired<ConfigMap> {
  const object: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(plan),
    ...(plan.data === undefined ? {} : { data: { ...plan.data } }),
  };
  return { kind: ConfigMap, object };
}
