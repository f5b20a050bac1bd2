import { serve } from "@trivium/engines";
import {
  Service as Address,
  ConfigMap,
  Deployment,
  HTTPRoute,
  type Kind,
  KServeInferenceService,
  PersistentVolumeClaim,
} from "@trivium/kube";
import { type Decision, hasUnresolved, type Patch, type Reconciler } from "@trivium/reconcile";
import { bareKind } from "../bare-kind.ts";
import { servicePaths } from "../field-paths.ts";
import { group } from "../group.ts";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { AIMClusterModel, AIMModel } from "../kinds/model.ts";
import { AIMService } from "../kinds/service.ts";
import { AIMServiceTemplate } from "../kinds/service-template.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedReasons, raiseRefused } from "../refused.ts";
import { reportService } from "./health/service-report.ts";
import { lowerService } from "./lower.ts";
import { observeNames, withKeptNames } from "./names/kept-names.ts";
import { templateAnnotation } from "./names/labels.ts";
import type { Service, ServiceStatus } from "./names/names.ts";
import { observeService } from "./observe.ts";
import type { ObservedService } from "./observed/observed-service.ts";
import { serviceReads } from "./observed/reads.ts";
import { sharedKinds } from "./observed/shared.ts";
import { raiseService } from "./raise.ts";
import { emitChildren } from "./roles/children.ts";
import { scalers } from "./roles/kept-children.ts";
import { recallService } from "./status/recall.ts";
import { isAvailable } from "./weights/cache-plan.ts";

/** What a service has alone; it goes as soon as it is not wanted any more. */
const own = [
  KServeInferenceService,
  Deployment,
  Address,
  PersistentVolumeClaim,
  ConfigMap,
  HTTPRoute,
  ...scalers,
  AIMTemplateCache,
] as const;

const refusedWords: RefusedReasons = {
  paths: servicePaths,
  state: "Degraded",
  parts: {
    InferenceService: "RuntimeReady",
    Deployment: "RuntimeReady",
    Service: "RuntimeReady",
    PersistentVolumeClaim: "RuntimeReady",
    HTTPRoute: "RoutingReady",
    AIMTemplateCache: "CacheReady",
    AIMKVCache: "KVCacheReady",
    HorizontalPodAutoscaler: "HPAReady",
    ScaledObject: "HPAReady",
    OpenTelemetryCollector: "HPAReady",
  },
};

export function serviceReconciler(
  options: AimOptions,
): Reconciler<Service, ObservedService, (typeof serviceReads)[number]> {
  return {
    name: "aim.service",
    podMark: templateAnnotation,
    kind: AIMService,
    reads: serviceReads,
    writes: [...own, AIMModel, AIMClusterModel, AIMServiceTemplate, AIMKVCache],
    controls: own,
    patches: Object.values(sharedKinds).map((kind) => ({ kind: kind as Kind, verbs: ["delete"] })),
    finalizer: `${group.group}/service-cache-cleanup`,
    observe(service, reader) {
      const names = observeNames(service, reader);
      return { ...observeService(withKeptNames(service, names), reader, options), ...names };
    },
    decide(written, observed, now): Decision<ServiceStatus> {
      if (written.metadata.deletionTimestamp !== undefined) return leave(written, observed);
      if (hasUnresolved(observed)) return { do: "hold", status: written.status ?? {} };
      const service = withKeptNames(written, observed);
      const lowered = lowerService(service, observed, { options, now });
      const served = lowered.is === "intended" ? serve(lowered.intent) : undefined;
      const report = reportService(service, { lowered, served, observed, now });
      const raised = raiseService(report, options);
      const { children, patches } = emitChildren(report, served, raised.status);
      return { do: "converge", children, ...(patches.length === 0 ? {} : { patches }), ...raised };
    },
    recalls: recallService,
    refused: (service, status, refusals) => raiseRefused(refusedWords, service, status, refusals),
  };
}

/** Caches that were made for it and never got full go with it; others may start from the rest. */
function leave(service: Service, { caches }: ObservedService): Decision<ServiceStatus> {
  const unfinished = caches.filter((cache) => cache.isOurs && !cache.isLeaving && !isAvailable(cache));
  if (unfinished.length === 0) return { do: "release" };
  const { namespace } = service.metadata;
  const patches = unfinished.map(
    ({ name, uid }): Patch => ({ patch: "delete", kind: bareKind(AIMTemplateCache), ref: { namespace, name }, uid }),
  );
  return { do: "converge", children: [], patches, status: service.status ?? {} };
}
