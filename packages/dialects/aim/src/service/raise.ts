import type { Note } from "@trivium/reconcile";
import type { Millis } from "@trivium/std";
import { conditionsFor, generationOf } from "../conditions.ts";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { AimOptions } from "../options.ts";
import { eventsOf } from "./events.ts";
import { judge } from "./health/judge.ts";
import type { ServiceReport } from "./health/service-report.ts";
import type { Service, ServiceStatus } from "./names/names.ts";
import { type ObservedTemplate, referenceTo } from "./observed/observed-service.ts";
import { kvCacheNameOf } from "./prompt-cache/kv-cache.ts";
import type { ServiceParts } from "./roles/service-parts.ts";
import { conditionsOf } from "./status/conditions.ts";
import { folderOf } from "./weights/sources.ts";

export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: readonly Note[];
  /** When time alone changes what is reported. */
  readonly recheckIn?: Millis;
}

/** The whole status of a service, and its events. */
export function raiseService(report: ServiceReport, options: AimOptions): Raised {
  const { service, parts } = report;
  const outcome = judge(report);
  const { recheckIn } = outcome;
  const { selected, routing, conflict, config } = parts;
  const status: ServiceStatus = {
    ...generationOf(service),
    status: outcome.status,
    ...(config.is === "resolved" && config.reference !== undefined ? { resolvedRuntimeConfig: config.reference } : {}),
    ...references(service, parts),
    ...modelCaches(parts, options),
    ...(routing.is === "on" && conflict === undefined && selected.template !== undefined
      ? { routing: { path: routing.path } }
      : {}),
    ...(selected.matching === undefined ? {} : { templateMatching: selected.matching }),
    runtime: runtimeOf(report),
    conditions: conditionsFor(service, conditionsOf(report, outcome)),
  };
  return { status, notes: eventsOf(report, outcome), ...(recheckIn === undefined ? {} : { recheckIn }) };
}

function references(service: Service, { selected, cache, kv }: ServiceParts): Partial<ServiceStatus> {
  const { namespace } = service.metadata;
  const { model, template } = selected;
  const resolvedModel = model === undefined ? undefined : referenceTo(model, model.kind, namespace);
  const kvCache = kv.is === "off" ? undefined : kv.cache;
  return {
    ...(resolvedModel === undefined ? {} : { resolvedImage: resolvedModel, resolvedModel }),
    ...(template === undefined ? {} : { resolvedTemplate: templateReference(service, template) }),
    ...(cache?.cache === undefined
      ? {}
      : {
          resolvedTemplateCache: referenceTo({ scope: "Namespace", ...cache.cache }, AIMTemplateCache.kind, namespace),
        }),
    ...(kvCache === undefined
      ? {}
      : {
          resolvedKVCache: referenceTo(
            { scope: "Namespace", name: kvCacheNameOf(service), uid: kvCache.uid },
            AIMKVCache.kind,
            namespace,
          ),
        }),
  };
}

function templateReference({ metadata }: Service, template: ObservedTemplate): ServiceStatus["resolvedTemplate"] {
  const kind = template.scope === "Namespace" ? "AIMServiceTemplate" : "AIMClusterServiceTemplate";
  const profile = template.status?.profile?.metadata;
  return {
    ...referenceTo(template, kind, metadata.namespace),
    ...(profile === undefined ? {} : { profile: { metadata: profile } }),
  };
}

function modelCaches({ cache }: ServiceParts, { cacheRoot }: AimOptions): Pick<ServiceStatus, "modelCaches"> {
  const held = cache?.cache?.status?.modelCaches;
  if (cache?.is !== "cached" || held === undefined) return {};
  return {
    modelCaches: Object.fromEntries(
      Object.entries(held).map(([key, one]) => [key, { ...one, mountPoint: folderOf(cacheRoot, one.model ?? key) }]),
    ),
  };
}

function runtimeOf({ health, parts, observed }: ServiceReport): NonNullable<ServiceStatus["runtime"]> {
  const { min, max, scaler } = parts.replicas;
  const { pods, scaling } = observed;
  const ready = pods.filter(({ isLeaving, isReady }) => !isLeaving && isReady).length;
  // The autoscaler has the current numbers, once it has measured.
  const scaled = scaling?.autoscaler.is === "known" ? scaling.autoscaler.value : undefined;
  const hasLooked = scaled !== undefined && scaled.desired > 0;
  const current = hasLooked ? scaled.current : ready;
  const desired = hasLooked ? scaled.desired : (health?.desired ?? min);
  return {
    currentReplicas: current,
    desiredReplicas: desired,
    minReplicas: min,
    maxReplicas: max,
    replicas: scaler === "none" ? String(min) : `${current}/${desired} (${min}-${max})`,
  };
}
