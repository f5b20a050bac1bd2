import type { HealthReport } from "@trivium/domain";
import {
  emitAutoscaler,
  emitCollector,
  emitDeployment,
  emitHttpRoute,
  emitInferenceService,
  emitScaledObject,
  emitService,
} from "@trivium/emitters";
import { reportHealth } from "@trivium/engines";
import {
  Service as Address,
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute,
  type Kind,
  KServeInferenceService,
  type KubeObject,
  OpenTelemetryCollector,
  PersistentVolumeClaim,
  ScaledObject,
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
import { keptTemplate } from "./kept-template.ts";
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
import { faultOfReplicas, planReplicas } from "./replicas.ts";
import { faultOfResources } from "./resources.ts";
import { olderRival, planRouting, type Routing } from "./routing.ts";
import { planScaling, type Scaling } from "./scaling.ts";
import { type SecretsAbsent, secretsAbsent } from "./secrets.ts";
import type { RivalRoute, ServiceSeen, TemplateSeen } from "./seen.ts";
import {
  containerPort,
  envOf,
  planAddress,
  planInference,
  planWorkload,
  pullSecretsOf,
  resourcesOf,
  type ServingQuestion,
  servingLabels,
} from "./serving.ts";
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
  readonly secrets?: SecretsAbsent;
  /** Fewest copies that there should be. */
  readonly wanted: number;
  readonly scaling?: Scaling;
  readonly health?: HealthReport;
  readonly children: readonly Desired[];
  readonly touches: readonly Touch[];
}

export function lowerService(service: Service, seen: ServiceSeen, options: AimOptions): Lowered {
  const settings = settingsFor(service, seen.config);
  const effective = settings ?? ownSettings(service);
  const choice = choose({ service, seen, settings: effective, options });
  const { template } = choice;
  const routing = planRouting(service, effective);
  const route = seen.route.is === "known" ? seen.route.value : undefined;
  const rival = routing.is === "on" ? olderRival(service, route, seen.rivals) : undefined;
  const kv = planKVCache(service, seen);
  const server = planServer({ service, choice, settings, kv, options }, seen);
  const planned = [
    ...choice.children,
    ...(server.cache?.children ?? []),
    ...(kv.is === "off" ? [] : kv.children),
    ...server.children,
    ...routeChildren(service, { routing, rival, settings, hasTemplate: template !== undefined }),
  ];
  const { isServing } = server;
  const children = [...planned, ...keptChildren(service, { children: planned, isServing, seen, settings, template })];
  const touches = [...choice.touches, ...(kv.is === "off" ? [] : kv.touches)];
  const wanted = planReplicas(service).min;
  return { ...server, choice, settings, wanted, routing, kv, ...(rival ? { rival } : {}), children, touches };
}

interface ServerQuestion {
  readonly service: Service;
  readonly choice: Choice;
  readonly settings: Settings | undefined;
  readonly kv: KVPlan;
  readonly options: AimOptions;
}

interface ServerPlan extends Pick<Lowered, "cache" | "fault" | "secrets" | "scaling" | "health" | "children"> {
  /** Whether what serves is described whole; if not, what runs stays as it is. */
  readonly isServing: boolean;
}

/** What serves the model, as far as all that it needs is known. */
function planServer({ service, choice, settings, kv, options }: ServerQuestion, seen: ServiceSeen): ServerPlan {
  const { template, model } = choice;
  if (template === undefined || model === undefined) return { isServing: false, children: [] };
  const fault = faultOf(service, { template, model });
  const found = fault === undefined ? {} : { fault };
  if (settings === undefined) return { ...found, isServing: false, children: [] };
  const basis = { service, model, template, settings, kv, options, ...runningOf(service, template, seen) };
  const pod = { env: envOf(basis), imagePullSecrets: pullSecretsOf(basis) };
  const known = { ...found, secrets: secretsAbsent(pod, seen.missingSecrets) };
  if (!of.isReady(template) || sourcesOf(template).length === 0) return { ...known, isServing: false, children: [] };
  const cache = planCache({ service, template, settings, seen, root: options.cacheRoot });
  const isPlaced = cache.is === "cached" || cache.is === "temporary";
  if (fault !== undefined || !isPlaced || (kv.is !== "off" && kv.is !== "ready"))
    return { ...known, cache, isServing: false, children: [] };
  return { ...known, cache, isServing: true, ...planServing({ ...basis, cache }, seen) };
}

function runningOf(service: Service, template: TemplateSeen, seen: ServiceSeen): Pick<ServingQuestion, "running"> {
  const [live] = [seen.inferenceService, seen.deployment].flatMap((fact) => (fact.is === "known" ? [fact.value] : []));
  const answers = seen.pods.some(({ isReady, isLeaving }) => isReady && !isLeaving);
  if (live === undefined || !answers || keptTemplate(service)?.name !== template.name) return {};
  return { running: live.nodes === undefined ? {} : { nodes: live.nodes } };
}

function faultOf(service: Service, { template, model }: Pick<ServingQuestion, "template" | "model">): Lowered["fault"] {
  const replicas = faultOfReplicas(service);
  if (replicas !== undefined) return { reason: "InvalidReplicas", message: replicas };
  const resources = faultOfResources(resourcesOf({ service, template, model }));
  return resources === undefined ? undefined : { reason: "InvalidResources", message: `Resources: ${resources}` };
}

function planServing(
  question: ServingQuestion,
  seen: ServiceSeen,
): Pick<ServerPlan, "scaling" | "health" | "children"> {
  const { service, options } = question;
  const scaling = planScaling({ service, seen, labels: servingLabels(question), port: containerPort, options });
  if (seen.kserve.is === "known" && seen.kserve.value)
    return { scaling, children: [emitInferenceService(planInference(question))] };
  const live = seen.deployment.is === "known" ? seen.deployment.value : undefined;
  const workload = planWorkload(question, scaling, live);
  const address = planAddress(question);
  const template = workload.pod.annotations[templateAnnotation] ?? "";
  const wasServing = service.status?.status === "Running";
  const health = reportHealth({ workload, address, template, pods: seen.pods, wasServing });
  return { scaling, health, children: [emitDeployment(workload), emitService(address), ...scalingChildren(scaling)] };
}

function scalingChildren(scaling: Scaling): Desired[] {
  if (scaling.is === "use") return [emitAutoscaler(scaling.plan)];
  if (scaling.is !== "keda") return [];
  const { plan, collector } = scaling;
  return [emitScaledObject(plan), ...(collector === undefined ? [] : [emitCollector(collector)])];
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

/** What scales a service where KServe does not. */
export const scalers = [HorizontalPodAutoscaler, ScaledObject, OpenTelemetryCollector] as const;

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
  const isScaled = planReplicas(service).scaler !== "none";
  const caches = seen.caches.filter(({ isOurs, spec }) => isOurs && spec.mode === "Dedicated");
  return [
    ...(isRouteOpen ? keep(HTTPRoute, routeNameOf(service)) : []),
    ...(isServing
      ? []
      : [
          ...keep(KServeInferenceService, workloadNameOf(service)),
          ...keep(Deployment, addressNameOf(service)),
          ...keep(Address, addressNameOf(service)),
          ...scalers.flatMap((kind) => (isScaled ? keep(kind, addressNameOf(service)) : [])),
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
