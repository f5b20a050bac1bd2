import type { ServicePlan } from "@trivium/domain";
import { Service } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

export function emitService(plan: ServicePlan): Desired<Service> {
  const { selector, type, ports, loadBalancerIP } = plan;
  const object: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(plan),
    spec: {
      type,
      ...(type === "LoadBalancer" && loadBalancerIP !== undefined ? { loadBalancerIP } : {}),
      ...(selector === undefined ? {} : { selector: { ...selector } }),
      ports: ports.map(({ name: portName, port, target, nodePort }) => ({
        name: portName,
        port,
        targetPort: target,
        protocol: "TCP",
        ...(nodePort === undefined ? {} : { nodePort }),
      })),
    },
  };
  return { kind: Service, object };
}
