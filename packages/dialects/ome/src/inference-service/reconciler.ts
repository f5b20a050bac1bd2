import {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute,
  type Kind,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from "@trivium/kube";
import type { Decision, Reconciler } from "@trivium/reconcile";
import { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { childrenOf } from "./children.ts";
import { lowerService } from "./lower.ts";
import { observeService, type ServiceSeen, serviceReads } from "./observe.ts";
import { withoutPredictor } from "./predictor.ts";
import { raiseBlocked, raiseServing, raiseVirtual, type ServiceStatus } from "./raise.ts";

export function serviceReconciler(
  options: OmeOptions,
): Reconciler<InferenceService, ServiceSeen, (typeof serviceReads)[number]> {
  const routes: Kind[] = options.ingress.strategy === "gateway" ? [HTTPRoute] : [];
  return {
    name: "ome.inferenceservice",
    kind: InferenceService,
    reads: serviceReads,
    writes: [
      Deployment,
      Service,
      HorizontalPodAutoscaler,
      PodDisruptionBudget,
      ConfigMap,
      ServiceAccount,
      Role,
      RoleBinding,
      ...routes,
    ],
    observe: (service, look) => observeService(withoutPredictor(service), look, options),
    decide(written, seen, now): Decision<ServiceStatus> {
      const service = withoutPredictor(written);
      const lowered = lowerService(service, seen, options);
      const around = { seen, options, now };
      switch (lowered.is) {
        case "unknown":
          return { do: "hold", status: service.status ?? {} };
        case "blocked":
          return { do: "hold", ...raiseBlocked(service, lowered, around) };
        case "virtual":
          return { do: "converge", children: [], ...raiseVirtual(service) };
        case "intended":
          return {
            do: "converge",
            children: childrenOf(service, lowered, options),
            ...raiseServing(service, lowered, around),
          };
      }
    },
  };
}
