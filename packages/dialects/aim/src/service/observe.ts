import { isServed } from "@trivium/domain";
import { countAsRendered, observePod, observeSharedCache, readRouteParents } from "@trivium/engines";
import { Gateway, HTTPRoute, PersistentVolumeClaim, Pod } from "@trivium/kube";
import { isUnresolved } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { AimOptions } from "../options.ts";
import { observeRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { routeLabel, templateAnnotation } from "./names/labels.ts";
import { routeNameOf, type Service, temporaryClaimOf, workloadNameOf } from "./names/names.ts";
import { observeCaches } from "./observed/observe-caches.ts";
import { observeCanary } from "./observed/observe-canary.ts";
import { observeModels, ownersOf } from "./observed/observe-models.ts";
import { observeTemplates } from "./observed/observe-templates.ts";
import { mapFact, observeWorkload } from "./observed/observe-workload.ts";
import type {
  ConflictingRoute,
  KVCache,
  ObservedKVCache,
  ObservedRoute,
  ObservedService,
} from "./observed/observed-service.ts";
import type { ServiceReader } from "./observed/reads.ts";
import { observeShared } from "./observed/shared.ts";
import { observeMissingSecrets } from "./pod/secrets.ts";
import { kvCacheNameOf } from "./prompt-cache/kv-cache.ts";
import { resolveSettings } from "./settings/service-settings.ts";
import { isFitKnown, observeMemory } from "./sizing/observe-memory.ts";
import type { Routing } from "./traffic/routing.ts";

export function observeService(service: Service, reader: ServiceReader, options: AimOptions): ObservedService {
  const { namespace = "" } = service.metadata;
  const config = observeRuntimeConfig(reader, { name: service.spec.runtimeConfigName, namespace });
  const { settings, replicas, ...resolved } = resolveSettings(service, config);
  const routing = settings === undefined ? undefined : resolved.routing;
  const workload = observeWorkload(service, reader, { backend: options.backend, replicas });
  const runs = workload.inferenceService.is === "known" || workload.deployment.is === "known";
  const deployment = workload.deployment.is === "known" ? workload.deployment.value : undefined;
  const models = observeModels(service, reader, options);
  const templates = observeTemplates(service, { reader, models, runs });
  const claim = reader.get(PersistentVolumeClaim, { namespace, name: temporaryClaimOf(service) });
  const route = mapFact(reader.get(HTTPRoute, { namespace, name: routeNameOf(service) }), observedRoute);
  const pods = reader.list(Pod, { namespace, labels: podSelector(service, workload.kserve) });
  return {
    models,
    config,
    ...templates,
    ...workload,
    pods: pods.map((pod) => countAsRendered(observePod(pod, templateAnnotation, reader), deployment)),
    route,
    ...observeCanary(service, reader),
    ...observeGateway(reader, routing, route),
    conflicts: observeConflicts(service, reader, routing),
    caches: observeCaches(service, reader, templates),
    temporaryClaim: mapFact(claim, () => true),
    ...observeKVCache(service, reader),
    ...observeSharedCache(service, reader),
    ...observeShared(service, reader),
    ...(isFitKnown(service, workload) ? {} : observeMemory(service, reader, templates)),
    ...observeMissingSecrets(service, reader, { models, templates, settings }),
  };
}

function podSelector(service: Service, kserve: Fact<boolean>): Record<string, string> {
  if (kserve.is === "known" && kserve.value) return { "serving.kserve.io/inferenceservice": workloadNameOf(service) };
  return { [labels.serviceName]: labelValueOf(service.metadata.name ?? "") };
}

const observedRoute = (route: HTTPRoute): ObservedRoute => ({
  ...(route.metadata.creationTimestamp === undefined ? {} : { createdAt: route.metadata.creationTimestamp }),
  parents: readRouteParents(route),
});

/** A Gateway that is not there answers to nothing. One that has answered is, and need not be watched. */
function observeGateway(
  reader: ServiceReader,
  routing: Routing | undefined,
  route: Fact<ObservedRoute>,
): Pick<ObservedService, "gateway"> {
  const isAnswered = route.is === "known" && route.value.parents.length > 0;
  if (routing?.is !== "on" || isAnswered || isUnresolved(route)) return {};
  const { group, kind, namespace, name } = routing.parent;
  if (group !== Gateway.group || kind !== Gateway.kind) return {};
  const served = reader.ask(isServed, { group, kind });
  if (isUnresolved(served)) return { gateway: mapFact(served, () => true) };
  if (served.is !== "known" || !served.value) return {};
  return { gateway: mapFact(reader.get(Gateway, { namespace, name }), () => true) };
}

/** Routes carry the digest of their path, so only those with the same one are ever looked at. */
function observeConflicts(service: Service, reader: ServiceReader, routing: Routing | undefined): ConflictingRoute[] {
  const { metadata } = service;
  if (routing?.is !== "on") return [];
  const same = reader.list(HTTPRoute, { labels: { [routeLabel]: routing.key } });
  return same
    .filter((one) => one.metadata.namespace !== metadata.namespace || one.metadata.name !== routeNameOf(service))
    .map((one) => ({
      namespace: one.metadata.namespace ?? "",
      name: one.metadata.name ?? "",
      createdAt: one.metadata.creationTimestamp ?? "",
    }));
}

function observeKVCache(service: Service, reader: ServiceReader): Pick<ObservedService, "kvCache"> {
  if (service.spec.kvCache === undefined) return {};
  const { namespace } = service.metadata;
  return { kvCache: mapFact(reader.get(AIMKVCache, { namespace, name: kvCacheNameOf(service) }), observedKvCache) };
}

function observedKvCache(cache: KVCache): ObservedKVCache {
  const { metadata, spec, status } = cache;
  return {
    uid: metadata.uid ?? "",
    isMadeForServices: metadata.labels?.[labels.autoCreated] === "true",
    owners: ownersOf(cache),
    spec,
    ...(status === undefined ? {} : { status }),
  };
}
