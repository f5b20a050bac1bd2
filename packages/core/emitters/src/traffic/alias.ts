import type { AliasPlan } from "@trivium/domain";
import { Service } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

export function emitAlias(plan: AliasPlan): Desired<Service> {
  const object: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(plan),
    spec: { type: "ExternalName", externalName: plan.externalName, sessionAffinity: "None" },
  };
  return { kind: Service, object };
}
