import type { ServicePlan } from "@trivium/domain";
import { Service } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

export function emitService(plan: ServicePlan): Desired<Service> {
  const { name, labels, annotations, selector, type, ports, loadBalancerIP } = plan;
  const object: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      labels: { ...labels },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
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
