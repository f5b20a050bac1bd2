import type { CanaryPlan, RoutePlan, ServingIntent } from "@trivium/domain";
import { parseServingAnnotations } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import { servicePathsOf } from "../field-paths.ts";
import { AIMService } from "../kinds/service.ts";
import type { AimOptions } from "../options.ts";
import { planAdapters } from "./adapters/plan-adapters.ts";
import type { Service } from "./names/names.ts";
import { type SelectedService, servingLabels } from "./names/serving-labels.ts";
import type { ObservedService } from "./observed/observed-service.ts";
import { containerPort, pullSecretsOf } from "./pod/container.ts";
import { envOf } from "./pod/env.ts";
import { faultOfResources, resourcesOf } from "./pod/resources.ts";
import { secretsAbsent } from "./pod/secrets.ts";
import { planKVCache } from "./prompt-cache/kv-cache.ts";
import { lowerPromptCache } from "./prompt-cache/lower-prompt-cache.ts";
import { planRole } from "./roles/plan-role.ts";
import { faultOfReplicas } from "./roles/replicas.ts";
import { runningOf } from "./roles/running.ts";
import type { PlacedInput, ServerInput } from "./roles/server-input.ts";
import type { ServiceParts, SpecFault } from "./roles/service-parts.ts";
import { lowerScaling } from "./scaling/lower-scaling.ts";
import { choose } from "./selection/choose.ts";
import { isReady } from "./selection/template-facts.ts";
import { resolveSettings } from "./settings/service-settings.ts";
import { awaitsSize, lowerSizing } from "./sizing/lower-sizing.ts";
import { canaryFault } from "./traffic/canary.ts";
import { lowerRoutes } from "./traffic/lower-routes.ts";
import { olderConflict } from "./traffic/routing.ts";
import { planCache } from "./weights/cache-plan.ts";
import { lowerWeights } from "./weights/lower-weights.ts";
import { sourcesOf } from "./weights/sources.ts";

export type LoweredService =
  /** Something that pods are built from is missing: what runs is unchanged. */
  | { readonly is: "blocked"; readonly parts: ServiceParts }
  | { readonly is: "intended"; readonly parts: ServiceParts; readonly intent: ServingIntent };

export interface LowerContext {
  readonly options: AimOptions;
  readonly now: Instant;
}

export function lowerService(service: Service, observed: ObservedService, context: LowerContext): LoweredService {
  const parts = lowerParts(service, observed, context.options);
  const { selected, settings, fault } = parts;
  const { model, template } = selected;
  if (model === undefined || template === undefined || settings === undefined) return { is: "blocked", parts };
  const input = serverInput({ service, model, template }, { ...parts, settings }, { observed, ...context });
  const known = { ...parts, secrets: secretsAbsent(input, observed.missingSecrets) };
  if (!isReady(template) || sourcesOf(template).length === 0) return { is: "blocked", parts: known };
  const isHeld = awaitsSize(input, observed);
  const cache = planCache({ service, template, settings, observed, root: context.options.cacheRoot, isHeld });
  const isPlaced = cache.is === "cached" || cache.is === "temporary";
  const isServing = isPlaced && fault === undefined && (parts.kv.is === "off" || parts.kv.is === "ready");
  const server = isServing ? lowerServer({ ...input, cache }, parts, observed) : undefined;
  const intent: ServingIntent = {
    identity: { kind: AIMService.kind, namespace: service.metadata.namespace ?? "", name: service.metadata.name ?? "" },
    choice: selected.choice,
    weights: lowerWeights(cache),
    sizing: fault === undefined ? lowerSizing(input, observed) : undefined,
    roles: server === undefined ? [] : [server.role],
    claims: cache.is === "temporary" ? [cache.claim] : [],
    routes: withCanary(parts.routes, server?.role.canary),
    paths: servicePathsOf(service),
    now: context.now,
  };
  return {
    is: "intended",
    parts: { ...known, cache, ...(server === undefined ? {} : { scaling: server.scaling }) },
    intent,
  };
}

/** What can be decided of every service, whether or not its model is known. */
function lowerParts(service: Service, observed: ObservedService, options: AimOptions): ServiceParts {
  const { config, settings, effective, routing, replicas } = resolveSettings(service, observed.config);
  const selected = choose({ service, observed, settings: effective, options });
  const route = observed.route.is === "known" ? observed.route.value : undefined;
  const conflict = routing.is === "on" ? olderConflict(service, route, observed.conflicts) : undefined;
  const annotations = parseServingAnnotations(service.metadata.annotations);
  const parts = { config, settings, selected, routing, conflict, annotations };
  const routes = lowerRoutes(service, parts);
  const adapters = planAdapters(annotations, selected.template, options);
  return {
    ...parts,
    replicas,
    routes,
    canaryFault: canaryFault({ annotations, routes }, observed),
    kv: planKVCache(service, observed),
    promptCache: lowerPromptCache(service, annotations, { template: selected.template, observed }),
    adapters,
    fault: faultOf(service, selected, adapters),
  };
}

function faultOf(
  service: Service,
  { model, template }: ServiceParts["selected"],
  { fault: adapters }: ServiceParts["adapters"],
): SpecFault | undefined {
  if (model === undefined || template === undefined) return undefined;
  if (adapters !== undefined) return { reason: "InvalidAdapters", message: adapters };
  const replicas = faultOfReplicas(service);
  if (replicas !== undefined) return { reason: "InvalidReplicas", message: replicas };
  const resources = faultOfResources(resourcesOf({ service, template, model }));
  return resources === undefined ? undefined : { reason: "InvalidResources", message: resources };
}

function serverInput(
  chosen: SelectedService,
  {
    settings,
    kv,
    promptCache,
    replicas,
    adapters,
  }: Pick<ServerInput, "settings" | "kv" | "promptCache" | "replicas" | "adapters">,
  { observed, options }: { readonly observed: ObservedService; readonly options: AimOptions },
): ServerInput {
  const basis = { ...chosen, settings, kv, promptCache, replicas, adapters, options };
  return {
    ...basis,
    labels: servingLabels(basis),
    resources: resourcesOf(chosen),
    env: envOf(basis),
    imagePullSecrets: pullSecretsOf(basis),
    ...runningOf(chosen, observed),
  };
}

function lowerServer(input: PlacedInput, { annotations, routes }: ServiceParts, observed: ObservedService) {
  const { service, replicas, labels, options } = input;
  const scaling = lowerScaling({ service, replicas, observed, labels, port: containerPort, options });
  return { scaling, role: planRole(input, { scaling, annotations, hasRoute: routes.length > 0 }, observed) };
}

const withCanary = (routes: readonly RoutePlan[], canary: CanaryPlan | undefined): readonly RoutePlan[] =>
  canary === undefined ? routes : routes.map((route) => ({ ...route, backends: canary.backends }));
