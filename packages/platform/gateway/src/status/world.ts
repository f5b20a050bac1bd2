import type { AttachmentWorld } from "@trivium/engines";
import type { Gateway, GatewayClass, Namespace } from "@trivium/kube";
import { controllerName } from "./names.ts";

/** What an observation has brought together of Gateways and whom they let in. */
export interface ObservedGateways {
  readonly gateways: readonly Gateway[];
  readonly classes: readonly GatewayClass[];
  readonly namespaces: readonly Namespace[];
}

export function attachmentWorld(observed: ObservedGateways, orphans: "adopt" | "leave"): AttachmentWorld {
  return {
    controllerName,
    orphans,
    gateway: ({ namespace, name }) =>
      observed.gateways.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    gatewayClass: (name) => observed.classes.find(({ metadata }) => metadata.name === name),
    namespaceLabels: (name) => observed.namespaces.find(({ metadata }) => metadata.name === name)?.metadata.labels,
  };
}
