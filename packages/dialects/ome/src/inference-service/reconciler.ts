import {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  KnativeService,
  LeaderWorkerSet,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  ScaledObject,
  Service,
  ServiceAccount,
} from "@trivium/kube";
import type { Decision, Reconciler } from "@trivium/reconcile";
import { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { lowerService } from "./lower.ts";
import { observeService, serviceReads } from "./observe.ts";
import type { ObservedService } from "./observed/service.ts";
import { raiseBlocked, raiseServing, raiseVirtual, type ServiceStatus } from "./raise.ts";
import { childrenOf } from "./roles/children.ts";
import { withoutPredictor } from "./roles/predictor.ts";
import { raiseRefused } from "./status/refused.ts";
import { entryKinds } from "./traffic/index.ts";

export function serviceReconciler(
  options: OmeOptions,
): Reconciler<InferenceService, ObservedService, (typeof serviceReads)[number]> {
  return {
    name: "ome.inference-service",
    formerNames: ["ome.inferenceservice"],
    kind: InferenceService,
    reads: serviceReads,
    writes: [
      Deployment,
      LeaderWorkerSet,
      KnativeService,
      Service,
      HorizontalPodAutoscaler,
      ScaledObject,
      PodDisruptionBudget,
      ConfigMap,
      ServiceAccount,
      Role,
      RoleBinding,
      ...entryKinds,
    ],
    observe: (service, reader) => observeService(withoutPredictor(service), reader, options),
    decide(written, observed, now): Decision<ServiceStatus> {
      const service = withoutPredictor(written);
      const lowered = lowerService(service, observed, options);
      const context = { observed, options, now };
      switch (lowered.is) {
        case "unresolved":
          return { do: "hold", status: service.status ?? {} };
        case "blocked":
          return { do: "hold", ...raiseBlocked(service, lowered, context) };
        case "virtual":
          return { do: "converge", children: [], ...raiseVirtual(service) };
        case "intended":
          return {
            do: "converge",
            children: childrenOf(service, lowered, observed),
            ...raiseServing(service, lowered, context),
          };
      }
    },
    refused: raiseRefused,
  };
}
