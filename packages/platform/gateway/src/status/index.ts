import type { AnyReconciler } from "@trivium/reconcile";
import { gatewayReconciler } from "./gateway.ts";
import { gatewayClassReconciler } from "./gateway-class.ts";
import { httpRouteReconciler } from "./http-route.ts";

export interface StatusOptions {
  /** Where the gateway is reached, as clients would write it. */
  readonly address: string;
  readonly orphans?: "adopt" | "leave";
}

/** Those who write the statuses of the Gateway API; an app runs them beside its others. */
export function gatewayReconcilers({ address, orphans = "leave" }: StatusOptions): readonly AnyReconciler[] {
  return [gatewayClassReconciler, gatewayReconciler(address), httpRouteReconciler(orphans)];
}
