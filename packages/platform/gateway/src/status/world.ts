import type { AttachmentWorld } from "@trivium/engines";
import type { Gateway, GatewayClass, Namespace } from "@trivium/kube";
import { controllerName } from "./names.ts";

/** What an observation has brought together of Gateways and whom they let in. */
export interface SeenGateways {
  readonly gateways: readonly Gateway[];
  readonly classes: readonly GatewayClass[];
  readonly namespaces: readonly Namespace[];
}

export function attachmentWorld(seen: SeenGateways, orphans: "adopt" | "leave"): AttachmentWorld {
  return {
    controllerName,
    orphans,
    gateway: ({ namespace, name }) =>
      seen.gateways.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    gatewayClass: (name) => seen.classes.find(({ metadata }) => metadata.name === name),
    namespaceLabels: (name) => seen.namespaces.find(({ metadata }) => metadata.name === name)?.metadata.labels,
  };
}
