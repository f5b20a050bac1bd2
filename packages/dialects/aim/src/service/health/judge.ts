import type { Failure } from "@trivium/domain";
import {
  asleepMessage,
  diagnose,
  diagnoseController,
  diagnoseMissing,
  formatDiagnosis,
  isIdledByGateway,
  isStopped,
  sanitizeOutput,
  stoppedMessage,
  untilFailure,
} from "@trivium/engines";
import { servicePaths } from "../../field-paths.ts";
import { imageReasonOf } from "../../image-reasons.ts";
import { isServiceReason } from "../../reasons/serving.ts";
import { pathsOf } from "../adapters/adapter-pod.ts";
import { containerName, type Service, workloadNameOf } from "../names/names.ts";
import { isOnKServe, type ObservedTemplate } from "../observed/observed-service.ts";
import type { ServiceParts } from "../roles/service-parts.ts";
import * as of from "../selection/template-facts.ts";
import { sourcesOf } from "../weights/sources.ts";
import { type Outcome, outcome } from "./outcome.ts";
import type { ServiceReport } from "./service-report.ts";

/** The one cause to report of a service: the first of these that holds. Their order is part of the API. */
export function judge(report: ServiceReport): Outcome {
  const { parts, misfit } = report;
  const found =
    parts.selected.outcome ??
    (parts.config.is === "missing" ? outcome("Degraded", "RuntimeConfigMissing", parts.config.message) : undefined) ??
    ofPath(parts) ??
    ofTemplate(parts) ??
    (parts.fault === undefined ? undefined : outcome("Failed", parts.fault.reason, parts.fault.message)) ??
    (misfit === undefined ? undefined : outcome("Failed", "DoesNotFit", formatDiagnosis(misfit))) ??
    ofSecrets(report) ??
    ofImages(report) ??
    ofCache(parts) ??
    ofKVCache(parts) ??
    ofRuntime(report);
  // Without a Gateway it cannot be reached, even if it runs.
  const isUnreachable = parts.routing.is === "no gateway" && !["Failed", "Degraded"].includes(found.status);
  return isUnreachable ? outcome("Failed", "RouteFailed", noGateway) : found;
}

export const noGateway =
  "Routing is enabled, but no Gateway is set; set routing.gatewayRef in the runtime config or in the service";

function ofPath({ routing, conflict }: ServiceParts): Outcome | undefined {
  if (routing.is === "faulty") return outcome("Degraded", "PathTemplateInvalid", routing.why);
  if (routing.is !== "on" || conflict === undefined) return undefined;
  return outcome("Degraded", "PathConflict", pathConflict(routing.path, conflict));
}

export const pathConflict = (path: string, { namespace, name }: { namespace: string; name: string }): string =>
  `Path ${path} is already used by AIMService ${namespace}/${name}; change routing.pathTemplate`;

function ofTemplate({ selected: { template } }: ServiceParts): Outcome | undefined {
  if (template === undefined) return undefined;
  const state = of.stateOf(template);
  const failure = template.status?.conditions?.find(({ type, status }) => type === "Failure" && status === "True");
  const ready = template.status?.conditions?.find(({ type }) => type === "Ready");
  const why = failure?.message ?? ready?.message;
  const message = `Template ${template.name} is ${state}${why ? `: ${why}` : "; check its conditions"}`;
  // Missing hardware is not a failure of the template, but it is the cause.
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

/** What serves has what it needs, even if it could not start again. */
function ofSecrets({ service, parts, isAnswering }: ServiceReport): Outcome | undefined {
  const missing = missingSecrets(parts, `Container ${containerName} of AIMService ${service.metadata.name}`);
  return missing === undefined || isAnswering ? undefined : outcome("Degraded", "SecretNotInNamespace", missing);
}

/** `stops` is what does not start without them; what runs already is not stopped. */
export function missingSecrets({ secrets }: ServiceParts, stops?: string): string | undefined {
  if (secrets === undefined || secrets.needed.length === 0) return undefined;
  const missing = diagnoseMissing({
    kind: "Secret",
    names: secrets.needed,
    stops,
    instead: `correct ${servicePaths.environment}`,
  });
  return formatDiagnosis(missing);
}

const describe = (service: Service, failure: Failure): string =>
  formatDiagnosis(diagnose(failure, { paths: pathsOf(service, failure.container) }));

function ofImages({ service, parts: { secrets }, health }: ServiceReport): Outcome | undefined {
  const failure = health?.failure;
  if (failure?.kind !== "image") return undefined;
  const reason = imageReasonOf(failure);
  const absent = secrets?.forImages ?? [];
  const hint = absent.length === 0 ? "" : `. Image pull ${listed(absent)} not found in this namespace`;
  return outcome("Degraded", reason, `${describe(service, failure)}${hint}`);
}

function ofCache({ cache }: ServiceParts): Outcome | undefined {
  if (cache?.is === "failed")
    return outcome(cache.reason === "CacheFailed" ? "Failed" : "Degraded", cache.reason, cache.message);
  if (cache?.is !== "waiting") return undefined;
  const isLost = cache.reason === "CacheLost" || cache.reason === "CacheCreating";
  return outcome(isLost ? "Degraded" : "Starting", cache.reason, cache.message);
}

function ofKVCache({ kv }: ServiceParts): Outcome | undefined {
  if (kv.is === "failed") return outcome("Degraded", kv.reason, kv.message);
  return kv.is === "waiting" ? outcome("Starting", kv.reason, kv.message) : undefined;
}

function ofRuntime(report: ServiceReport): Outcome {
  const { parts, isAnswering } = report;
  if (parts.scaling?.is === "fixed" && parts.replicas.min === 0)
    return outcome("Pending", "ScaledToZero", scaledToZero(report.service));
  if (!isAnswering) return ofFailure(report) ?? ofKServe(report) ?? creating(report);
  return ofRoute(report) ?? outcome("Running", "RuntimeReady", "The service is ready");
}

/** The gateway puts a service to sleep by the same field that a person uses. */
function scaledToZero({ metadata }: Service): string {
  if (isStopped(metadata)) return stoppedMessage(metadata, "raise spec.replicas");
  return isIdledByGateway(metadata)
    ? asleepMessage
    : "Scaled to zero because spec.replicas is 0; raise it to serve the model";
}

/** What keeps a pod from serving, whichever controller created it. */
function ofFailure({ service, health, now }: ServiceReport): Outcome | undefined {
  const failure = health?.failure;
  if (failure === undefined) return undefined;
  if (failure.isPassing) {
    const recheckIn = untilFailure(failure, now);
    const starting = outcome("Starting", "CreatingRuntime", describe(service, failure));
    return recheckIn === undefined ? starting : { ...starting, recheckIn };
  }
  if (failure.kind === "unschedulable" || failure.kind === "volume")
    return outcome("Starting", "FailedScheduling", describe(service, failure));
  return outcome("Degraded", "RuntimeFailed", describe(service, failure));
}

/** Warnings of KServe that mean that it will not run the model. */
const refusals = ["ServerlessModeRejected", "InternalError"] as const;

function ofKServe({ service, observed }: ServiceReport): Outcome | undefined {
  if (!isOnKServe(observed) || observed.inferenceService.is !== "known") return undefined;
  const { failure } = observed.inferenceService.value;
  const subject = `InferenceService ${workloadNameOf(service)}`;
  const cannot = (report: { reason?: string; message: string }): string =>
    formatDiagnosis(diagnoseController({ controller: "KServe", subject, ...report }, servicePaths));
  if (failure) return outcome("Degraded", "RuntimeFailed", cannot({ message: failure }));
  const warning = observed.warning?.tolerated.is === "known" ? observed.warning.tolerated.value : undefined;
  const refusal = refusals.find((reason) => reason === warning?.reason);
  if (warning === undefined || refusal === undefined) return undefined;
  return outcome("Degraded", refusal, cannot(warning));
}

function creating({ service, health, parts, observed }: ServiceReport): Outcome {
  const starting = (message: string): Outcome => outcome("Starting", "CreatingRuntime", message);
  if (!isOnKServe(observed)) return starting(`Waiting for pods: ${health?.ready ?? 0} of ${parts.replicas.min} ready`);
  if (observed.inferenceService.is !== "known") return starting(`Creating InferenceService ${workloadNameOf(service)}`);
  const reported = observed.warning?.tolerated;
  const warning = reported?.is === "known" ? `. KServe warning: ${sanitizeOutput(reported.value.message)}` : "";
  return starting(`${observed.inferenceService.value.message ?? "Waiting for KServe"}${warning}`);
}

/** Nothing when it is reached, or need not be. */
export function ofRoute({ route }: ServiceReport): Outcome | undefined {
  if (route === undefined || route.is === "accepted") return undefined;
  const message = formatDiagnosis(route.diagnosis);
  return route.is === "refused"
    ? outcome("Degraded", "RouteFailed", message)
    : outcome("Starting", "ConfiguringRoute", message);
}
