import type { DecidedCondition } from "@trivium/kube";
import { noFailure } from "../../conditions.ts";
import { isAnswering, noGateway, pathConflict, routeOf } from "../health/judge.ts";
import type { Lowered } from "../lower.ts";
import { addressNameOf, type Service } from "../names/names.ts";
import type { ObservedService } from "../observed/observed-service.ts";
import { judgeScaling } from "../scaling/judge-scaling.ts";
import type { Outcome } from "../selection/choose.ts";
import { cachingModeOf } from "../weights/caching-mode.ts";

/** What is decided of a service, and from what. */
export interface Reported {
  readonly service: Service;
  readonly outcome: Outcome;
  readonly observed: ObservedService;
}

export function conditionsOf(lowered: Lowered, { service, outcome, observed }: Reported): DecidedCondition[] {
  const { status, reason, message } = outcome;
  const { choice } = lowered;
  const isFault = status === "Failed" || status === "Degraded";
  const isRunning = status === "Running";
  const isAsleep = reason === "ScaledToZero";
  const resolved =
    choice.template === undefined ? { reason, message } : { reason: "Resolved", message: resolvedWords(lowered) };
  const scales = judgeScaling(lowered.scaling, observed.scaling);
  return [
    { type: "Resolved", status: choice.template === undefined ? "False" : "True", ...resolved },
    ...cacheConditions(lowered, service, observed),
    kvCondition(lowered),
    runtimeCondition(lowered, { service, outcome, observed }),
    ...(scales === undefined ? [] : [{ type: "HPAReady", ...scales }]),
    routingCondition(lowered, observed),
    { type: "Ready", status: isRunning ? "True" : "False", reason, message },
    { type: "Progressing", status: isFault || isRunning || isAsleep ? "False" : "True", reason, message },
    isFault
      ? { type: "Failure", status: "True", reason, message }
      : noFailure("Resolved", { isReady: isRunning, message }),
  ];
}

/** Reasons that are about how it is reached, not about what runs. */
const ofRoutes: readonly string[] = ["RouteFailed", "ConfiguringRoute", "PathConflict"];

function runtimeCondition(lowered: Lowered, { service, outcome, observed }: Reported): DecidedCondition {
  const type = "RuntimeReady";
  const { reason, message } = outcome;
  const isAvailable = isAnswering(lowered, observed) && lowered.wanted > 0;
  const answer = `Serving at ${addressOf(service, observed)}`;
  // This API counts a path that cannot be rendered as a runtime that is not ready, also while the model answers inside the cluster.
  if (reason === "PathTemplateInvalid")
    return { type, status: "False", reason, message: `${message}${isAvailable ? `. ${answer}, without a route` : ""}` };
  if (isAvailable) return { type, status: "True", reason: "RuntimeReady", message: answer };
  return { type, status: "False", reason: ofRoutes.includes(reason) ? "CreatingRuntime" : reason, message };
}

/** Inside the cluster; KServe gives it the same name as we do. */
function addressOf(service: Service, { inferenceService }: ObservedService): string {
  const reported = inferenceService.is === "known" ? inferenceService.value.url : undefined;
  return reported ?? `http://${addressNameOf(service)}.${service.metadata.namespace}.svc.cluster.local`;
}

function resolvedWords({ choice: { model, template, remark } }: Lowered): string {
  const kind = template?.scope === "Cluster" ? "AIMClusterServiceTemplate" : "AIMServiceTemplate";
  const words = `Selected ${kind} ${template?.name} of ${model?.kind} ${model?.name}`;
  return remark === undefined ? words : `${words}. ${remark}`;
}

function cacheConditions({ cache, fault }: Lowered, service: Service, observed: ObservedService): DecidedCondition[] {
  const type = "CacheReady";
  if (cache === undefined && cachingModeOf(service) === "Auto")
    return [
      cacheInUse(service, observed) ?? {
        type,
        status: "True",
        reason: "CacheWarm",
        message: "Caching is not requested",
      },
    ];
  if (cache === undefined && fault?.reason === "DoesNotFit") return [{ type, status: "False", ...fault }];
  if (cache === undefined) {
    const message = "The required weights are not known yet";
    return [cacheInUse(service, observed) ?? { type, status: "False", reason: "WaitingForCache", message }];
  }
  if (cache.is === "cached") return [{ type, status: "True", reason: "CacheWarm", message: "The weights are cached" }];
  if (cache.is === "temporary")
    return [
      {
        type,
        status: "True",
        reason: "CacheWarm",
        message: "Caching is not requested; the container downloads the weights",
      },
    ];
  const { reason, message } = cache;
  const failed = reason === "CacheFailed" ? [{ type: "CacheFailed", status: "True", reason, message } as const] : [];
  return [{ type, status: "False", reason, message }, ...failed];
}

/** What runs has its weights, whatever else is missing. */
function cacheInUse(
  { status }: Service,
  { inferenceService, deployment }: ObservedService,
): DecidedCondition | undefined {
  const runs = inferenceService.is === "known" || deployment.is === "known";
  const reported = status?.conditions?.find((one) => one.type === "CacheReady" && one.status === "True");
  if (!runs || reported === undefined) return undefined;
  return { type: reported.type, status: "True", reason: reported.reason, message: reported.message };
}

function kvCondition({ kv, fault }: Lowered): DecidedCondition {
  const type = "KVCacheReady";
  if (kv.is === "off")
    return { type, status: "True", reason: "KVCacheNotRequested", message: "A KV cache is not requested" };
  if (kv.is === "ready") return { type, status: "True", reason: "KVCacheReady", message: "The KV cache is ready" };
  const isHeldBack = fault?.reason === "DoesNotFit" && kv.cache === undefined;
  return { type, status: "False", reason: kv.reason, message: isHeldBack ? fault.message : kv.message };
}

function routingCondition(lowered: Lowered, observed: ObservedService): DecidedCondition {
  const type = "RoutingReady";
  const { routing, conflict } = lowered;
  if (routing.is === "off") return { type, status: "True", reason: "RouteReady", message: "Routing is disabled" };
  if (routing.is === "no gateway") return { type, status: "False", reason: "RouteFailed", message: noGateway };
  if (routing.is === "faulty") return { type, status: "False", reason: "PathTemplateInvalid", message: routing.why };
  if (conflict !== undefined)
    return { type, status: "False", reason: "PathConflict", message: pathConflict(routing.path, conflict) };
  const failure = routeOf(lowered, observed);
  if (failure !== undefined) return { type, status: "False", reason: failure.reason, message: failure.message };
  return {
    type,
    status: "True",
    reason: "RouteReady",
    message: `Gateway ${routing.parent.name} routes requests for ${routing.path}`,
  };
}
