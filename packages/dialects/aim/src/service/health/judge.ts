import type { Failure } from "@trivium/domain";
import { classifyImage, diagnose, findFailure, formatDiagnosis, sanitizeOutput, untilFailure } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import { servicePaths } from "../../field-paths.ts";
import { imageReasons } from "../../image-reasons.ts";
import { isServiceReason, type ServiceReason } from "../../reasons/serving.ts";
import type { Lowered } from "../lower.ts";
import type { ObservedService, ObservedTemplate } from "../observed/observed-service.ts";
import type { Outcome, Phase } from "../selection/choose.ts";
import * as of from "../selection/template-facts.ts";
import { sourcesOf } from "../weights/sources.ts";

const outcome = (status: Phase, reason: ServiceReason, message: string): Outcome => ({ status, reason, message });

/** The one thing to say of a service: the first of these that holds. Their order is part of the API. */
export function judge(
  lowered: Lowered,
  observed: ObservedService,
  { configMessage, now }: { readonly configMessage: string | undefined; readonly now: Instant },
): Outcome {
  const found =
    lowered.choice.outcome ??
    (configMessage === undefined ? undefined : outcome("Degraded", "RuntimeConfigMissing", configMessage)) ??
    ofPath(lowered) ??
    ofTemplate(lowered) ??
    (lowered.fault === undefined ? undefined : outcome("Failed", lowered.fault.reason, lowered.fault.message)) ??
    ofSecrets(lowered, observed) ??
    ofImages(lowered, observed) ??
    ofCache(lowered) ??
    ofKVCache(lowered) ??
    ofRuntime(lowered, observed, now);
  // Without a Gateway nobody reaches it, however well it runs.
  const isUnreachable = lowered.routing.is === "no gateway" && !["Failed", "Degraded"].includes(found.status);
  return isUnreachable ? outcome("Failed", "RouteFailed", noGateway) : found;
}

export const noGateway =
  "Routing is enabled, but no Gateway is set; set routing.gatewayRef in the runtime config or in the service";

function ofPath({ routing, conflict }: Lowered): Outcome | undefined {
  if (routing.is === "faulty") return outcome("Degraded", "PathTemplateInvalid", routing.why);
  if (routing.is !== "on" || conflict === undefined) return undefined;
  return outcome("Degraded", "PathConflict", pathConflict(routing.path, conflict));
}

export const pathConflict = (path: string, { namespace, name }: { namespace: string; name: string }): string =>
  `Path ${path} is already used by AIMService ${namespace}/${name}; change routing.pathTemplate`;

function ofTemplate({ choice: { template } }: Lowered): Outcome | undefined {
  if (template === undefined) return undefined;
  const state = of.stateOf(template);
  const failure = template.status?.conditions?.find(({ type, status }) => type === "Failure" && status === "True");
  const ready = template.status?.conditions?.find(({ type }) => type === "Ready");
  const why = failure?.message ?? ready?.message;
  const message = `Template ${template.name} is ${state}${why ? `: ${why}` : ""}`;
  // Hardware that is not there is no failure of the template, and still the cause.
  const copied = (state === "NotAvailable" ? ready : failure)?.reason ?? "";
  if (state === "Failed") return outcome("Failed", isServiceReason(copied) ? copied : "TemplateDegraded", message);
  if (state === "Degraded" || state === "NotAvailable")
    return outcome("Degraded", isServiceReason(copied) ? copied : "TemplateDegraded", message);
  if (!of.isReady(template)) return outcome("Pending", "TemplateNotAvailable", message);
  return ofSources(template);
}

function ofSources(template: ObservedTemplate): Outcome | undefined {
  if (sourcesOf(template).length > 0) return undefined;
  return outcome(
    "Degraded",
    "NoModelSources",
    `Template ${template.name} specifies no weights; set its modelSources, or check its discovery`,
  );
}

const listed = (names: readonly string[]): string => `${names.length > 1 ? "Secrets" : "Secret"} ${names.join(", ")}`;

/** What answers has what it needs, even if it would not start again. */
function ofSecrets(lowered: Lowered, observed: ObservedService): Outcome | undefined {
  const missing = missingSecrets(lowered);
  return missing === undefined || isAnswering(lowered, observed)
    ? undefined
    : outcome("Degraded", "SecretNotInNamespace", missing);
}

export function missingSecrets({ secrets }: Lowered): string | undefined {
  if (secrets === undefined || secrets.needed.length === 0) return undefined;
  const { needed } = secrets;
  const them = needed.length > 1 ? "them" : "it";
  return `${listed(needed)} not found in this namespace, but environment variables of the container need ${them}; create ${them}, or mark the variables as optional`;
}

const describe = (failure: Failure): string => formatDiagnosis(diagnose(failure, { paths: servicePaths }));

function ofImages({ secrets }: Lowered, { pods }: ObservedService): Outcome | undefined {
  const failure = findFailure(pods.filter(({ isReady }) => !isReady));
  if (failure?.kind !== "image") return undefined;
  const reason = imageReasons[classifyImage(failure.message)];
  const absent = secrets?.forImages ?? [];
  const hint = absent.length === 0 ? "" : `. Image pull ${listed(absent)} not found in this namespace`;
  return outcome("Degraded", reason, `${describe(failure)}${hint}`);
}

function ofCache({ cache }: Lowered): Outcome | undefined {
  if (cache?.is === "failed")
    return outcome(cache.reason === "CacheFailed" ? "Failed" : "Degraded", cache.reason, cache.message);
  if (cache?.is !== "waiting") return undefined;
  const isLost = cache.reason === "CacheLost" || cache.reason === "CacheCreating";
  return outcome(isLost ? "Degraded" : "Starting", cache.reason, cache.message);
}

function ofKVCache({ kv }: Lowered): Outcome | undefined {
  if (kv.is === "failed") return outcome("Degraded", kv.reason, kv.message);
  return kv.is === "waiting" ? outcome("Starting", kv.reason, kv.message) : undefined;
}

function ofRuntime(lowered: Lowered, observed: ObservedService, now: Instant): Outcome {
  const asleep = lowered.scaling?.is === "fixed" && lowered.wanted === 0;
  if (asleep)
    return outcome("Pending", "ScaledToZero", "Scaled to zero because spec.replicas is 0; raise it to serve the model");
  if (!isAnswering(lowered, observed))
    return ofFailure(observed, now) ?? ofKServe(observed) ?? creating(lowered, observed);
  return routeOf(lowered, observed) ?? outcome("Running", "RuntimeReady", "The service is ready");
}

const isKServe = ({ kserve }: ObservedService): boolean => kserve.is === "known" && kserve.value;

/** Whether as many copies answer as there must be at least. What is not described any more still answers while its pods do. */
export function isAnswering({ health, wanted }: Lowered, observed: ObservedService): boolean {
  if (isKServe(observed)) return observed.inferenceService.is === "known" && observed.inferenceService.value.isReady;
  if (health === undefined) return observed.pods.some(({ isReady, isLeaving }) => isReady && !isLeaving);
  return health.ready > 0 && health.ready >= Math.min(health.desired, wanted);
}

/** What keeps a pod from answering, whoever made it. */
function ofFailure({ pods, deployment }: ObservedService, now: Instant): Outcome | undefined {
  const refused = deployment.is === "known" ? deployment.value.refused : undefined;
  const failure = findFailure(
    pods.filter(({ isReady }) => !isReady),
    refused,
    now,
  );
  if (failure === undefined) return undefined;
  if (failure.isPassing) {
    const recheckIn = untilFailure(failure, now);
    const starting = outcome("Starting", "CreatingRuntime", describe(failure));
    return recheckIn === undefined ? starting : { ...starting, recheckIn };
  }
  if (failure.kind === "unschedulable" || failure.kind === "volume")
    return outcome("Starting", "FailedScheduling", describe(failure));
  return outcome("Degraded", "RuntimeFailed", describe(failure));
}

/** Warnings by which KServe says that it will not do it at all. */
const refusals = ["ServerlessModeRejected", "InternalError"] as const;

function ofKServe(observed: ObservedService): Outcome | undefined {
  if (!isKServe(observed) || observed.inferenceService.is !== "known") return undefined;
  const { failure } = observed.inferenceService.value;
  if (failure) return outcome("Degraded", "RuntimeFailed", failure);
  const warning = observed.warning?.is === "known" ? observed.warning.value : undefined;
  const refusal = refusals.find((reason) => reason === warning?.reason);
  if (warning === undefined || refusal === undefined) return undefined;
  return outcome("Degraded", refusal, `KServe: ${sanitizeOutput(warning.message)}`);
}

function creating({ health, wanted, children }: Lowered, observed: ObservedService): Outcome {
  const starting = (message: string): Outcome => outcome("Starting", "CreatingRuntime", message);
  if (health !== undefined) return starting(`Waiting for pods: ${health.ready} of ${wanted} ready`);
  if (observed.inferenceService.is !== "known") {
    const child = children.find(({ kind }) => kind.kind === "InferenceService");
    return starting(`Creating InferenceService ${child?.object.metadata.name ?? ""}`.trimEnd());
  }
  const warning =
    observed.warning?.is === "known" ? `. KServe warning: ${sanitizeOutput(observed.warning.value.message)}` : "";
  return starting(`${observed.inferenceService.value.message ?? "Waiting for KServe"}${warning}`);
}

/** Nothing when it is reached, or need not be. */
export function routeOf({ routing, conflict }: Lowered, { route, gateway }: ObservedService): Outcome | undefined {
  if (routing.is !== "on" || conflict !== undefined) return undefined;
  const parents = route.is === "known" ? route.value.parents : [];
  if (parents.length > 0 && parents.every(({ accepted }) => accepted)) return undefined;
  const refused = parents.find(({ accepted, reason }) => !accepted && reason !== "Pending");
  if (refused !== undefined)
    return outcome("Degraded", "RouteFailed", `The Gateway rejected the route (${refused.reason}): ${refused.message}`);
  const { namespace, name } = routing.parent;
  const what =
    gateway?.is === "absent"
      ? `Gateway ${namespace}/${name} not found; create it, or change routing.gatewayRef`
      : `Waiting for Gateway ${name} to accept the route`;
  return outcome("Starting", "ConfiguringRoute", what);
}
