import { emitService, emitServing, keepObject, podAccessRule } from "@trivium/emitters";
import { formatDiagnosis, serve } from "@trivium/engines";
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
import { templateAnnotation } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type Context, type Intended, lowerService } from "./lower.ts";
import { observeService, serviceReads } from "./observe.ts";
import { type ObservedService, runsNothing } from "./observed/service.ts";
import { raiseServing, raiseVirtual } from "./raise.ts";
import { parseMode } from "./roles/deployment-mode.ts";
import { withoutPredictor } from "./roles/predictor.ts";
import { type Blocked, fails } from "./selection/blocked.ts";
import { raiseBlocked } from "./status/blocked-status.ts";
import { recallService } from "./status/recall.ts";
import { raiseRefused } from "./status/refused.ts";
import type { ServiceStatus } from "./status/service-status.ts";
import { entryKinds, keptRoutes, planClosedService } from "./traffic/index.ts";

export function serviceReconciler(
  options: OmeOptions,
): Reconciler<InferenceService, ObservedService, (typeof serviceReads)[number]> {
  return {
    name: "ome.inference-service",
    podMark: templateAnnotation,
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
    grants: [podAccessRule],
    observe: (service, reader) => observeService(withoutPredictor(service), reader, options),
    decide: (service, observed, now) => decide(withoutPredictor(service), { observed, options, now }),
    recalls: recallService,
    refused: raiseRefused,
  };
}

function decide(service: InferenceService, context: Context): Decision<ServiceStatus> {
  const lowered = lowerService(service, context);
  switch (lowered.is) {
    case "unresolved":
      return { do: "hold", status: service.status ?? {} };
    case "blocked":
      return decideBlocked(service, lowered, context);
    case "virtual":
      return { do: "converge", children: [], ...raiseVirtual(service) };
    case "intended":
      return decideServing(service, lowered, context);
  }
}

/**
 * Callers of a service for which nothing can be created yet should get the cause, so its Service exists, closed. Where something runs,
 * everything stays unchanged; what Knative serves has an address of Knative.
 */
function decideBlocked(service: InferenceService, blocked: Blocked, context: Context): Decision<ServiceStatus> {
  const raised = raiseBlocked(service, blocked, context);
  const isKnative = parseMode(service.metadata.annotations) === "Serverless";
  if (isKnative || !runsNothing(context.observed)) return { do: "hold", ...raised };
  return { do: "converge", children: [emitService(planClosedService(service, blocked))], ...raised };
}

function decideServing(service: InferenceService, plan: Intended, context: Context): Decision<ServiceStatus> {
  const served = serve(plan.intent);
  if (served.is === "unresolved") return { do: "hold", status: service.status ?? {} };
  if (served.is === "blocked") {
    const { model, selection } = plan;
    const misfit = fails("ModelLoadFailed", "DoesNotFit", formatDiagnosis(served.blocker));
    return decideBlocked(service, { ...misfit, model, selection, fit: served.fit }, context);
  }
  const kept = keptRoutes(plan.way, context.observed.entry).map(({ kind, name }) => keepObject(kind, { name }));
  const children = [...emitServing(served.plan), ...kept];
  return {
    do: "converge",
    children,
    ...raiseServing(service, { plan, roles: served.plan.roles, fit: served.fit }, context),
  };
}
