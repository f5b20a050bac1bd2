import type { VirtualService } from "@trivium/kube";

/** Hosts that Istio sends on, by rules of its own. */
export interface VirtualServicePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: VirtualService["spec"];
}
