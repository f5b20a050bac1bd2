import { GatewayClass } from "@trivium/kube";
import type { Decision, Reconciler, StatusOf } from "@trivium/reconcile";
import { controllerName } from "./names.ts";

/** Says of GatewayClasses that name us that we have taken them. */
export const gatewayClassReconciler: Reconciler<GatewayClass, null, never> = {
  name: "gateway.class",
  kind: GatewayClass,
  reads: [],
  writes: [],
  observe: () => null,
  decide(gatewayClass): Decision<StatusOf<GatewayClass>> {
    // Another controller's class is none of our business, and its status stays as it is.
    if (gatewayClass.spec.controllerName !== controllerName) return { do: "hold", status: gatewayClass.status ?? {} };
    const accepted = {
      type: "Accepted",
      status: "True",
      reason: "Accepted",
      message: "Handled by the Trivium gateway",
    } as const;
    return { do: "hold", status: { conditions: [{ ...accepted, lastTransitionTime: "" }] } };
  },
};
