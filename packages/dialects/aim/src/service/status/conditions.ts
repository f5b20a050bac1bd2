import { formatDiagnosis, standInRemark } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import { noFailure } from "../../conditions.ts";
import { noGateway, ofRoute, pathConflict } from "../health/judge.ts";
import type { Outcome } from "../health/outcome.ts";
import type { ServiceReport } from "../health/service-report.ts";
import { addressNameOf } from "../names/names.ts";
import { isRunning } from "../observed/observed-service.ts";
import type { ServiceParts } from "../roles/service-parts.ts";
import { cachingModeOf } from "../weights/caching-mode.ts";
import { canaryConditions } from "./canary.ts";
import { fitConditions } from "./fit.ts";

export function conditionsOf(report: ServiceReport, outcome: Outcome): DecidedCondition[] {
  const { status, reason, message } = outcome;
  const { parts, scaling } = report;
  const isFault = status === "Failed" || status === "Degraded";
  const isServing = status === "Running";
  const isAsleep = reason === "ScaledToZero";
  const isResolved = parts.selected.template !== undefined;
  const resolved = isResolved ? { reason: "Resolved", message: resolvedMessage(parts) } : { reason, message };
  return [
    { type: "Resolved", status: isResolved ? "True" : "False", ...resolved },
    ...cacheConditions(report),
    kvCondition(report),
    ...fitConditions(report),
    runtimeCondition(report, outcome),
    ...(scaling === undefined ? [] : [{ type: "HPAReady", ...scaling }]),
    routingCondition(report),
    ...canaryConditions(report),
    ...acceptedConditions(parts),
    { type: "Ready", status: isServing ? "True" : "False", reason, message },
    { type: "Progressing", status: isFault || isServing || isAsleep ? "False" : "True", reason, message },
    isFault
      ? { type: "Failure", status: "True", reason, message }
      : noFailure("Resolved", { isReady: isServing, message }),
  ];
}

/** Annotations without effect; nothing where all of them are applied. */
function acceptedConditions(parts: ServiceParts): DecidedCondition[] {
  const ignored = ignoredAnnotations(parts);
  if (ignored.length === 0) return [];
  return [{ type: "SpecAccepted", status: "False", reason: "FieldsIgnored", message: ignored.join(". ") }];
}

export const ignoredAnnotations = ({ annotations, adapters, promptCache }: ServiceParts): string[] => [
  ...annotations.faults,
  ...(adapters.ignored === undefined ? [] : [adapters.ignored]),
  ...(promptCache.ignored === undefined ? [] : [promptCache.ignored]),
];

/** Reasons that are about how it is reached, not about what runs. */
const ofRoutes: readonly string[] = ["RouteFailed", "ConfiguringRoute", "PathConflict"];

function runtimeCondition(report: ServiceReport, { reason, message }: Outcome): DecidedCondition {
  const type = "RuntimeReady";
  const isAvailable = report.isAnswering && report.parts.replicas.min > 0;
  const answer = `Serving at ${addressOf(report)}${adapterRemark(report)}${standInRemark(report.health)}`;
  // This API counts a path that cannot be rendered as a runtime that is not ready, also while the model serves inside the cluster.
  if (reason === "PathTemplateInvalid")
    return { type, status: "False", reason, message: `${message}${isAvailable ? `. ${answer}, without a route` : ""}` };
  if (isAvailable) return { type, status: "True", reason: "RuntimeReady", message: answer };
  return { type, status: "False", reason: ofRoutes.includes(reason) ? "CreatingRuntime" : reason, message };
}

/** A server that stands in for the one of the image gets none of the arguments that load adapters. */
function adapterRemark({ parts, health }: ServiceReport): string {
  const names = parts.adapters.adapters.map(({ name }) => name).join(", ");
  if (names === "") return "";
  return health?.standIn === undefined ? `, with adapters ${names}` : `, without adapters ${names}`;
}

/** Inside the cluster; KServe gives it the same name as we do. */
function addressOf({ service, observed: { inferenceService } }: ServiceReport): string {
  const reported = inferenceService.is === "known" ? inferenceService.value.url : undefined;
  return reported ?? `http://${addressNameOf(service)}.${service.metadata.namespace}.svc.cluster.local`;
}

function resolvedMessage({ selected: { model, template, remark } }: ServiceParts): string {
  const kind = template?.scope === "Cluster" ? "AIMClusterServiceTemplate" : "AIMServiceTemplate";
  const words = `Selected ${kind} ${template?.name} of ${model?.kind} ${model?.name}`;
  return remark === undefined ? words : `${words}. ${remark}`;
}

function cacheConditions(report: ServiceReport): DecidedCondition[] {
  const type = "CacheReady";
  const { service, parts, misfit } = report;
  const { cache } = parts;
  if (cache === undefined && cachingModeOf(service) === "Auto")
    return [cacheInUse(report) ?? { type, status: "True", reason: "CacheWarm", message: "Caching is not requested" }];
  if (cache === undefined && misfit !== undefined)
    return [{ type, status: "False", reason: "DoesNotFit", message: formatDiagnosis(misfit) }];
  if (cache === undefined) {
    const message = "The required weights are not known yet";
    return [cacheInUse(report) ?? { type, status: "False", reason: "WaitingForCache", message }];
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
function cacheInUse({ service, observed }: ServiceReport): DecidedCondition | undefined {
  const reported = service.status?.conditions?.find((one) => one.type === "CacheReady" && one.status === "True");
  if (!isRunning(observed) || reported === undefined) return undefined;
  return { type: reported.type, status: "True", reason: reported.reason, message: reported.message };
}

function kvCondition({ parts: { kv }, misfit }: ServiceReport): DecidedCondition {
  const type = "KVCacheReady";
  if (kv.is === "off")
    return { type, status: "True", reason: "KVCacheNotRequested", message: "A KV cache is not requested" };
  if (kv.is === "ready") return { type, status: "True", reason: "KVCacheReady", message: "The KV cache is ready" };
  const isHeldBack = misfit !== undefined && kv.cache === undefined;
  return { type, status: "False", reason: kv.reason, message: isHeldBack ? formatDiagnosis(misfit) : kv.message };
}

function routingCondition(report: ServiceReport): DecidedCondition {
  const type = "RoutingReady";
  const { routing, conflict } = report.parts;
  if (routing.is === "off") return { type, status: "True", reason: "RouteReady", message: "Routing is disabled" };
  if (routing.is === "no gateway") return { type, status: "False", reason: "RouteFailed", message: noGateway };
  if (routing.is === "faulty") return { type, status: "False", reason: "PathTemplateInvalid", message: routing.why };
  if (conflict !== undefined)
    return { type, status: "False", reason: "PathConflict", message: pathConflict(routing.path, conflict) };
  const failure = ofRoute(report);
  if (failure !== undefined) return { type, status: "False", reason: failure.reason, message: failure.message };
  return {
    type,
    status: "True",
    reason: "RouteReady",
    message: `Gateway ${routing.parent.name} routes requests for ${routing.path}`,
  };
}
