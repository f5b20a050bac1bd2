import type { Note } from "@trivium/reconcile";
import type { Instant, Millis } from "@trivium/std";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { AimOptions } from "../options.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { notesOf } from "./events.ts";
import { judge } from "./health/judge.ts";
import type { Lowered } from "./lower.ts";
import type { Service, ServiceStatus } from "./names/names.ts";
import { type ObservedService, referenceTo } from "./observed/observed-service.ts";
import { kvCacheNameOf } from "./prompt-cache/kv-cache.ts";
import { planReplicas } from "./roles/replicas.ts";
import { conditionsOf } from "./status/conditions.ts";
import { folderOf } from "./weights/sources.ts";

export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: readonly Note[];
  /** When time alone changes what is reported. */
  readonly recheckIn?: Millis;
}

/** Everything that can be said of a service. */
export function raiseService(
  service: Service,
  lowered: Lowered,
  { observed, options, now }: { observed: ObservedService; options: AimOptions; now: Instant },
): Raised {
  const config = resolveRuntimeConfig(observed.config);
  const outcome = judge(lowered, observed, {
    configMessage: config.is === "missing" ? config.message : undefined,
    now,
  });
  const { generation, namespace } = service.metadata;
  const { choice, cache, kv, routing, conflict } = lowered;
  const { model, template, matching } = choice;
  const resolvedModel = model === undefined ? undefined : referenceTo(model, model.kind, namespace);
  const reference = config.is === "resolved" ? config.reference : undefined;
  const conditions = conditionsOf(lowered, { service, outcome, observed });
  const status: ServiceStatus = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: outcome.status,
    ...(reference === undefined ? {} : { resolvedRuntimeConfig: reference }),
    ...(resolvedModel === undefined ? {} : { resolvedImage: resolvedModel, resolvedModel }),
    ...(template === undefined ? {} : { resolvedTemplate: templateReference(service, lowered) }),
    ...(cache?.cache === undefined
      ? {}
      : {
          resolvedTemplateCache: referenceTo({ scope: "Namespace", ...cache.cache }, AIMTemplateCache.kind, namespace),
        }),
    ...modelCaches(lowered, options),
    ...(kv.is === "off" || kv.cache === undefined
      ? {}
      : {
          resolvedKVCache: referenceTo(
            { scope: "Namespace", name: kvCacheNameOf(service), uid: kv.cache.uid },
            AIMKVCache.kind,
            namespace,
          ),
        }),
    ...(routing.is === "on" && conflict === undefined && template !== undefined
      ? { routing: { path: routing.path } }
      : {}),
    ...(matching === undefined ? {} : { templateMatching: matching }),
    runtime: runtimeOf(service, lowered, observed),
    conditions: conditions.map((one) =>
      generation === undefined ? one : { ...one, observedGeneration: generation },
    ) as NonNullable<ServiceStatus["conditions"]>,
  };
  const { recheckIn } = outcome;
  const notes = notesOf(lowered, { service, outcome, observed });
  return { status, notes, ...(recheckIn === undefined ? {} : { recheckIn }) };
}

function templateReference(
  { metadata }: Service,
  { choice: { template } }: Lowered,
): ServiceStatus["resolvedTemplate"] {
  if (template === undefined) return undefined;
  const kind = template.scope === "Namespace" ? "AIMServiceTemplate" : "AIMClusterServiceTemplate";
  const profile = template.status?.profile?.metadata;
  return {
    ...referenceTo(template, kind, metadata.namespace),
    ...(profile === undefined ? {} : { profile: { metadata: profile } }),
  };
}

function modelCaches({ cache }: Lowered, { cacheRoot }: AimOptions): Pick<ServiceStatus, "modelCaches"> {
  const held = cache?.cache?.status?.modelCaches;
  if (cache?.is !== "cached" || held === undefined) return {};
  return {
    modelCaches: Object.fromEntries(
      Object.entries(held).map(([key, one]) => [key, { ...one, mountPoint: folderOf(cacheRoot, one.model ?? key) }]),
    ),
  };
}

function runtimeOf(
  service: Service,
  { health }: Lowered,
  { pods, scaling }: ObservedService,
): NonNullable<ServiceStatus["runtime"]> {
  const { min, max, scaler } = planReplicas(service);
  const ready = pods.filter(({ isLeaving, isReady }) => !isLeaving && isReady).length;
  // Whoever scales knows best what it has and wants, once it has looked.
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
