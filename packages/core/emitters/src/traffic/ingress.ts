import type { IngressPlan } from "@trivium/domain";
import { Ingress } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

export function emitIngress(plan: IngressPlan): Desired<Ingress> {
  const object: Ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: metadataOf(plan),
    spec: {
      ...(plan.className === undefined ? {} : { ingressClassName: plan.className }),
      rules: plan.rules.map(({ host, service: name, port: number }) => ({
        host,
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number } } } }] },
      })),
    },
  };
  return { kind: Ingress, object };
}
