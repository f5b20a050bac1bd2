import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { configNotes } from "../conditions.ts";
import { AIMKVCache } from "../kinds/kv-cache.ts";
import { AIMTemplateCache } from "../kinds/template-cache.ts";
import type { AimOptions } from "../options.ts";
import { resolveRuntimeConfig } from "../runtime-config/resolve.ts";
import { runsOnOwnVolume } from "./cache-plan.ts";
import { cachingConflict, cachingModeOf, cachingTooLate } from "./caching-mode.ts";
import type { Verdict } from "./choose.ts";
import { isAnswering, judge, missingSecrets, noGateway, pathConflict, routeOf } from "./judge.ts";
import { judgeScaling } from "./judge-scaling.ts";
import { kvCacheNameOf } from "./kv-cache.ts";
import type { Lowered } from "./lower.ts";
import { addressNameOf, type Service, type ServiceStatus } from "./names.ts";
import { planReplicas } from "./replicas.ts";
import { referenceTo, type ServiceSeen } from "./seen.ts";
import { folderOf } from "./weights.ts";

export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: readonly Note[];
}

/** Everything that can be said of a service. */
export function raiseService(
  service: Service,
  lowered: Lowered,
  { seen, options }: { seen: ServiceSeen; options: AimOptions },
): Raised {
  const config = resolveRuntimeConfig(seen.config);
  const verdict = judge(lowered, seen, config.is === "missing" ? config.message : undefined);
  const { generation, namespace } = service.metadata;
  const { choice, cache, kv, routing, rival } = lowered;
  const { model, template, matching } = choice;
  const resolvedModel = model === undefined ? undefined : referenceTo(model, model.kind, namespace);
  const reference = config.is === "resolved" ? config.reference : undefined;
  const conditions = conditionsOf(lowered, { service, verdict, seen });
  const status: ServiceStatus = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: verdict.status,
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
    ...(routing.is === "on" && rival === undefined && template !== undefined
      ? { routing: { path: routing.path } }
      : {}),
    ...(matching === undefined ? {} : { templateMatching: matching }),
    runtime: runtimeOf(service, lowered, seen),
    conditions: conditions.map((one) =>
      generation === undefined ? one : { ...one, observedGeneration: generation },
    ) as NonNullable<ServiceStatus["conditions"]>,
  };
  return { status, notes: notesOf(lowered, { service, verdict, seen }) };
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
  { pods, scaling }: ServiceSeen,
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

interface Said {
  readonly service: Service;
  readonly verdict: Verdict;
  readonly seen: ServiceSeen;
}

function conditionsOf(lowered: Lowered, { service, verdict, seen }: Said): DecidedCondition[] {
  const { status, reason, message } = verdict;
  const { choice } = lowered;
  const isFault = status === "Failed" || status === "Degraded";
  const isRunning = status === "Running";
  const isAsleep = reason === "ScaledToZero";
  const resolved =
    choice.template === undefined ? { reason, message } : { reason: "Resolved", message: resolvedWords(lowered) };
  const scales = judgeScaling(lowered.scaling, seen.scaling);
  return [
    { type: "Resolved", status: choice.template === undefined ? "False" : "True", ...resolved },
    ...cacheConditions(lowered, service, seen),
    kvCondition(lowered),
    runtimeCondition(lowered, { service, verdict, seen }),
    ...(scales === undefined ? [] : [{ type: "HPAReady", ...scales }]),
    routingCondition(lowered, seen),
    { type: "Ready", status: isRunning ? "True" : "False", reason, message },
    { type: "Progressing", status: isFault || isRunning || isAsleep ? "False" : "True", reason, message },
    isFault
      ? { type: "Failure", status: "True", reason, message }
      : { type: "Failure", status: "False", reason: "Resolved", message: "Nothing is wrong" },
  ];
}

/** Reasons that are about how it is reached, not about what runs. */
const ofRoutes: readonly string[] = ["RouteFailed", "ConfiguringRoute", "PathConflict", "PathTemplateInvalid"];

function runtimeCondition(lowered: Lowered, { service, verdict, seen }: Said): DecidedCondition {
  const type = "RuntimeReady";
  if (isAnswering(lowered, seen) && lowered.wanted > 0)
    return {
      type,
      status: "True",
      reason: "RuntimeReady",
      message: `The model answers at ${addressOf(service, seen)}`,
    };
  const { reason, message } = verdict;
  return { type, status: "False", reason: ofRoutes.includes(reason) ? "CreatingRuntime" : reason, message };
}

/** Inside the cluster; KServe gives it the same name as we do. */
function addressOf(service: Service, { inferenceService }: ServiceSeen): string {
  const told = inferenceService.is === "known" ? inferenceService.value.url : undefined;
  return told ?? `http://${addressNameOf(service)}.${service.metadata.namespace}.svc.cluster.local`;
}

function resolvedWords({ choice: { model, template, remark } }: Lowered): string {
  const words = `Template ${template?.name} of ${model?.kind} ${model?.name}`;
  return remark === undefined ? words : `${words}. ${remark}`;
}

function cacheConditions({ cache }: Lowered, service: Service, seen: ServiceSeen): DecidedCondition[] {
  const type = "CacheReady";
  if (cache === undefined && cachingModeOf(service) === "Auto")
    return [
      cacheInUse(service, seen) ?? { type, status: "True", reason: "CacheWarm", message: "No cache was asked for" },
    ];
  if (cache === undefined) {
    const message = "Which weights are needed is not known yet";
    return [cacheInUse(service, seen) ?? { type, status: "False", reason: "WaitingForCache", message }];
  }
  if (cache.is === "cached") return [{ type, status: "True", reason: "CacheWarm", message: "The weights are cached" }];
  if (cache.is === "temporary")
    return [
      { type, status: "True", reason: "CacheWarm", message: "No cache was asked for; the container fetches by itself" },
    ];
  const { reason, message } = cache;
  const failed = reason === "CacheFailed" ? [{ type: "CacheFailed", status: "True", reason, message } as const] : [];
  return [{ type, status: "False", reason, message }, ...failed];
}

/** What runs has its weights, whatever else is missing. */
function cacheInUse({ status }: Service, { inferenceService, deployment }: ServiceSeen): DecidedCondition | undefined {
  const runs = inferenceService.is === "known" || deployment.is === "known";
  const said = status?.conditions?.find((one) => one.type === "CacheReady" && one.status === "True");
  if (!runs || said === undefined) return undefined;
  return { type: said.type, status: "True", reason: said.reason, message: said.message };
}

function kvCondition({ kv }: Lowered): DecidedCondition {
  const type = "KVCacheReady";
  if (kv.is === "off")
    return { type, status: "True", reason: "KVCacheNotRequested", message: "No cache was asked for" };
  if (kv.is === "ready") return { type, status: "True", reason: "KVCacheReady", message: "The cache answers" };
  return { type, status: "False", reason: kv.reason, message: kv.message };
}

function routingCondition(lowered: Lowered, seen: ServiceSeen): DecidedCondition {
  const type = "RoutingReady";
  const { routing, rival } = lowered;
  if (routing.is === "off") return { type, status: "True", reason: "RouteReady", message: "Routing is disabled" };
  if (routing.is === "no gateway") return { type, status: "False", reason: "RouteFailed", message: noGateway };
  if (routing.is === "faulty") return { type, status: "False", reason: "PathTemplateInvalid", message: routing.why };
  if (rival !== undefined)
    return { type, status: "False", reason: "PathConflict", message: pathConflict(routing.path, rival) };
  const trouble = routeOf(lowered, seen);
  if (trouble !== undefined) return { type, status: "False", reason: trouble.reason, message: trouble.message };
  return { type, status: "True", reason: "RouteReady", message: `Requests to ${routing.path} reach the service` };
}

function notesOf(lowered: Lowered, { service, verdict, seen }: Said): Note[] {
  const { status, reason, message } = verdict;
  const type = status === "Failed" || status === "Degraded" ? "Warning" : "Normal";
  const notes: Note[] = [{ type, reason, message }];
  const conflict = cachingConflict(service);
  if (conflict !== undefined) notes.push({ type: "Warning", reason: "CachingModeConflict", message: conflict });
  const late = runsOnOwnVolume(seen) ? cachingTooLate(service) : undefined;
  if (late !== undefined) notes.push({ type: "Warning", reason: "CachingModeConflict", message: late });
  const config = resolveRuntimeConfig(seen.config);
  if (config.is === "resolved" && config.reference === undefined) notes.push(...configNotes(config));
  const { image } = service.spec.model ?? {};
  if (image !== undefined && !/[:@][^/]*$/.test(image)) {
    const what = `spec.model.image ${image} has no tag, so latest is meant; name one, so that it does not change unnoticed`;
    notes.push({ type: "Warning", reason: "UntaggedImage", message: what });
  }
  return [...notes, ...notesOfScaling(lowered, seen), ...notesOfSecrets(lowered, verdict)];
}

/** Only what does not pass by itself is worth a warning. */
const lasting: readonly string[] = ["AutoscalingUnavailable", "MetricsFailed"];

function notesOfScaling({ scaling }: Lowered, seen: ServiceSeen): Note[] {
  const word = judgeScaling(scaling, seen.scaling);
  if (word === undefined || !lasting.includes(word.reason)) return [];
  return [{ type: "Warning", reason: word.reason, message: word.message }];
}

function notesOfSecrets(lowered: Lowered, verdict: Verdict): Note[] {
  const reason = "SecretNotInNamespace";
  const needed = verdict.reason === reason ? undefined : missingSecrets(lowered);
  const images = lowered.secrets?.forImages ?? [];
  const pulling = `${images.join(", ")}: named for pulling images and not in this namespace; create ${images.length > 1 ? "these Secrets" : "this Secret"} if the image is private`;
  return [needed, images.length === 0 ? undefined : pulling].flatMap((message) =>
    message === undefined ? [] : [{ type: "Warning", reason, message }],
  );
}
