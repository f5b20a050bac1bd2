import type { Gateway, GatewayClass } from "@trivium/kube";
import { className, controllerName, gatewayRef } from "./names.ts";

/** What a machine of its own needs so that routes have something to attach to; its namespace must exist. */
export function localGatewayObjects(port: number): { gatewayClass: GatewayClass; gateway: Gateway } {
  return {
    gatewayClass: {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: className },
      spec: { controllerName, description: "Routes served by the Trivium gateway" },
    },
    gateway: {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { ...gatewayRef },
      spec: {
        gatewayClassName: className,
        listeners: [{ name: "http", port, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }],
      },
    },
  };
}
