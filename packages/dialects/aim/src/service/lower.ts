import type { HealthReport } from "@trivium/domain";
import { emitDeployment, emitHttpRoute, emitInferenceService, emitService } from "@trivium/emitters";
import { reportHealth } from "@trivium/engines";
import {
  Service as Address,
  ConfigMap,
  Deployment,
  HTTPRoute,
  type Kind,
  KServeInferenceService,
  type KubeObject,
  PersistentVolumeClaim,
} from "@trivium/kube";
import type { Desired, Touch } from "@trivium/reconcile";
import { AIMTemplateCache as templateCacheKind } from "../kinds/template-cache.ts";
import { labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { AimOptions } from "../options.ts";
import type { Settings } from "../runtime-config/merge-settings.ts";
import { propagateLabels } from "../runtime-config/propagate-labels.ts";
import { type CachePlan, planCache } from "./cache-plan.ts";
import { type Choice, choose } from "./choose.ts";
import { type KVPlan, planKVCache } from "./kv-cache.ts";
import { routeLabel, templateAnnotation } from "./labels.ts";
import {
  addressNameOf,
  lmCacheConfigOf,
  routeNameOf,
  type Service,
  temporaryClaimOf,
  workloadNameOf,
} from "./names.ts";
import { faultOfReplicas } from "./replicas.ts";
import { faultOfResources } from "./resources.ts";
import { olderRival, planRouting, type Routing } from "./routing.ts";
import type { RivalRoute, ServiceSeen } from "./seen.ts";
import { planAddress, planInference, planWorkload, resourcesOf, type ServingQuestion } from "./serving.ts";
import { ownSettings, settingsFor } from "./settings.ts";
import * as of from "./template-facts.ts";
import { sourcesOf } from "./weights.ts";

/** What a service comes to. */
export interface Lowered {
  readonly choice: Choice;
  /** Nothing where the config that it names does not exist. */
  readonly settings: Settings | undefined;
  readonly routing: Routing;
  /** An older service that has the path already. */
  readonly rival?: RivalRoute;
  readonly cache?: CachePlan;
  readonly kv: KVPlan;
  /** Something in the spec that the API would refuse later. */
  readonly fault?: { readonly reason: "InvalidResources" | "InvalidReplicas"; readonly message: string };
  readonly health?: HealthReport;
  readonly children: readonly Desired[];
  readonly touches: readonly Touch[];
}

export function lowerService(service: Service, seen: ServiceSeen, options: AimOptions): Lowered {
  const settings = settingsFor(service, seen.config);
  const effective = settings ?? ownSettings(service);
  const choice = choose({ service, seen, settings: effective, options });
  const routing = planRouting(service, effective);
  const route = seen.route.is === "known" ? seen.route.value : undefined;
  const rival = routing.is === "on" ? olderRival(service, route, seen.rivals) : undefined;
  const kv = planKVCache(service, seen);
  const { template, model } = choice;
  const cache =
    template === undefined || !of.isReady(template) || settings === undefined || sourcesOf(template).length === 0
      ? undefined
      : planCache({ service, template, settings, seen, root: options.cacheRoot });
  const fault = template === undefined || model === undefined ? undefined : faultOf(service, { template, model });
  const common = { choice, settings, routing, kv, ...(rival ? { rival } : {}), ...(fault ? { fault } : {}) };
  const question =
    template === undefined ||
    model === undefined ||
    settings === undefined ||
    cache === undefined ||
    fault !== undefined
      ? undefined
      : gated({ service, model, template, settings, cache, kv, options });
  const serving: Serving = question === undefined ? { children: [] } : planServing(question, seen);
  const children = [
    ...choice.children,
    ...(cache?.children ?? []),
    ...(kv.is === "off" ? [] : kv.children),
    ...serving.children,
    ...routeChildren(service, { routing, rival, settings, hasTemplate: template !== undefined }),
  ];
  return {
    ...common,
    ...(cache === undefined ? {} : { cache }),
    ...(serving.health === undefined ? {} : { health: serving.health }),
    children: [
      ...children,
      ...keptChildren(service, { children, isServing: question !== undefined, seen, settings, template }),
    ],
    touches: [...choice.touches, ...(kv.is === "off" ? [] : kv.touches)],
  };
}

/** Whether all that a container needs is there. */
function gated({
  cache,
  kv,
  ...rest
}: Omit<ServingQuestion, "cache"> & { cache: CachePlan }): ServingQuestion | undefined {
  if (cache.is !== "cached" && cache.is !== "temporary") return undefined;
  if (kv.is !== "off" && kv.is !== "ready") return undefined;
  return { ...rest, cache, kv };
}

function faultOf(service: Service, { template, model }: Pick<ServingQuestion, "template" | "model">): Lowered["fault"] {
  const replicas = faultOfReplicas(service);
  if (replicas !== undefined) return { reason: "InvalidReplicas", message: replicas };
  const resources = faultOfResources(resourcesOf({ service, template, model }));
  return resources === undefined ? undefined : { reason: "InvalidResources", message: `Resources: ${resources}` };
}

interface Serving {
  readonly children: readonly Desired[];
  readonly health?: HealthReport;
}

function planServing(question: ServingQuestion, seen: ServiceSeen): Serving {
  if (seen.kserve.is === "known" && seen.kserve.value)
    return { children: [emitInferenceService(planInference(question))] };
  const live = seen.deployment.is === "known" ? seen.deployment.value : undefined;
  const workload = planWorkload(question, live);
  const address = planAddress(question);
  const template = workload.pod.annotations[templateAnnotation] ?? "";
  const wasServing = question.service.status?.status === "Running";
  const health = reportHealth({ workload, address, template, pods: seen.pods, wasServing });
  return { children: [emitDeployment(workload), emitService(address)], health };
}

interface RouteQuestion {
  readonly routing: Routing;
  readonly rival: RivalRoute | undefined;
  readonly settings: Settings | undefined;
  readonly hasTemplate: boolean;
}

function routeChildren(service: Service, { routing, rival, settings, hasTemplate }: RouteQuestion): Desired[] {
  if (routing.is !== "on" || rival !== undefined || settings === undefined || !hasTemplate) return [];
  const { path, parent, timeout, annotations, key } = routing;
  const own = { [labels.serviceName]: labelValueOf(service.metadata.name ?? ""), [routeLabel]: key };
  return [
    emitHttpRoute({
      name: routeNameOf(service),
      labels: propagateLabels(settings, service.metadata.labels, own),
      annotations,
      parent,
      path,
      backend: { name: addressNameOf(service), port: 80 },
      timeout,
    }),
  ];
}

interface KeepQuestion {
  readonly children: readonly Desired[];
  readonly isServing: boolean;
  readonly seen: ServiceSeen;
  readonly settings: Settings | undefined;
  readonly template: Choice["template"];
}

/** What runs stays as it is while something that it was made of is missing: only what is known to be unwanted goes. */
function keptChildren(service: Service, { children, isServing, seen, settings, template }: KeepQuestion): Desired[] {
  const isPlanned = (kind: Kind): boolean => children.some((child) => child.kind.kind === kind.kind);
  const keep = (kind: Kind, name: string): Desired[] =>
    isPlanned(kind) ? [] : [{ kind, object: named(kind, name), keep: true }];
  const isRouteOpen = settings === undefined || template === undefined;
  const caches = seen.caches.filter(({ isOurs, spec }) => isOurs && spec.mode === "Dedicated");
  return [
    ...(isRouteOpen ? keep(HTTPRoute, routeNameOf(service)) : []),
    ...(isServing
      ? []
      : [
          ...keep(KServeInferenceService, workloadNameOf(service)),
          ...keep(Deployment, addressNameOf(service)),
          ...keep(Address, addressNameOf(service)),
          ...keep(PersistentVolumeClaim, temporaryClaimOf(service)),
          ...(service.spec.kvCache === undefined ? [] : keep(ConfigMap, lmCacheConfigOf(service))),
          ...caches
            .filter(({ name }) => !children.some(({ object }) => object.metadata.name === name))
            .map(
              ({ name }): Desired => ({ kind: templateCacheKind, object: named(templateCacheKind, name), keep: true }),
            ),
        ]),
  ];
}

function named(kind: Kind, name: string): KubeObject {
  const version = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  return { apiVersion: version, kind: kind.kind, metadata: { name } };
}
