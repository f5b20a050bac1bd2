import { findTrouble } from "@trivium/engines";
import { isServiceReason, type ServiceReason } from "../words/serving.ts";
import type { Phase, Verdict } from "./choose.ts";
import type { Lowered } from "./lower.ts";
import type { ServiceSeen, TemplateSeen } from "./seen.ts";
import * as of from "./template-facts.ts";
import { sourcesOf } from "./weights.ts";

const verdict = (status: Phase, reason: ServiceReason, message: string): Verdict => ({ status, reason, message });

/** The one thing to say of a service: the first of these that holds. Their order is part of the API. */
export function judge(lowered: Lowered, seen: ServiceSeen, configMessage: string | undefined): Verdict {
  const found =
    lowered.choice.verdict ??
    (configMessage === undefined ? undefined : verdict("Degraded", "RuntimeConfigMissing", configMessage)) ??
    ofPath(lowered) ??
    ofTemplate(lowered) ??
    (lowered.fault === undefined ? undefined : verdict("Failed", lowered.fault.reason, lowered.fault.message)) ??
    ofImages(seen) ??
    ofCache(lowered) ??
    ofKVCache(lowered) ??
    ofRuntime(lowered, seen);
  // Without a Gateway nobody reaches it, however well it runs.
  const isUnreachable = lowered.routing.is === "no gateway" && !["Failed", "Degraded"].includes(found.status);
  return isUnreachable ? verdict("Failed", "RouteFailed", noGateway) : found;
}

export const noGateway =
  "Routing is on, but no Gateway is named; set routing.gatewayRef in the runtime config or in the service";

function ofPath({ routing, rival }: Lowered): Verdict | undefined {
  if (routing.is === "faulty") return verdict("Degraded", "PathTemplateInvalid", routing.why);
  if (routing.is !== "on" || rival === undefined) return undefined;
  return verdict("Degraded", "PathConflict", pathConflict(routing.path, rival));
}

export const pathConflict = (path: string, { namespace, name }: { namespace: string; name: string }): string =>
  `Path ${path} belongs to ${namespace}/${name}, which had it first; choose another routing.pathTemplate`;

function ofTemplate({ choice: { template } }: Lowered): Verdict | undefined {
  if (template === undefined) return undefined;
  const state = of.stateOf(template);
  const failure = template.status?.conditions?.find(({ type, status }) => type === "Failure" && status === "True");
  const ready = template.status?.conditions?.find(({ type }) => type === "Ready");
  const why = failure?.message ?? ready?.message;
  const message = `Template ${template.name} is ${state}${why ? `: ${why}` : ""}`;
  const copied = failure?.reason ?? "";
  if (state === "Failed") return verdict("Failed", isServiceReason(copied) ? copied : "TemplateDegraded", message);
  if (state === "Degraded" || state === "NotAvailable")
    return verdict("Degraded", isServiceReason(copied) ? copied : "TemplateDegraded", message);
  if (!of.isReady(template)) return verdict("Pending", "TemplateNotAvailable", message);
  return ofSources(template);
}

function ofSources(template: TemplateSeen): Verdict | undefined {
  if (sourcesOf(template).length > 0) return undefined;
  return verdict(
    "Degraded",
    "NoModelSources",
    `Template ${template.name} names no weights; give modelSources, or look into its discovery`,
  );
}

/** Words of registries and nodes for what keeps an image away. */
const denied = /unauthorized|authentication|\b40[13]\b|forbidden|denied|credentials/i;
const missing = /not found|\b404\b|manifest unknown|name unknown/i;

function ofImages({ pods }: ServiceSeen): Verdict | undefined {
  const trouble = findTrouble(pods.filter(({ isReady }) => !isReady));
  if (trouble?.kind !== "image") return undefined;
  const reason = denied.test(trouble.message)
    ? "ImagePullAuthFailure"
    : missing.test(trouble.message)
      ? "ImageNotFound"
      : "ImagePullBackOff";
  return verdict("Degraded", reason, `Pod ${trouble.pod}: ${trouble.message}`);
}

function ofCache({ cache }: Lowered): Verdict | undefined {
  if (cache?.is === "failed")
    return verdict(cache.reason === "CacheFailed" ? "Failed" : "Degraded", cache.reason, cache.message);
  if (cache?.is !== "waiting") return undefined;
  const isLost = cache.reason === "CacheLost" || cache.reason === "CacheCreating";
  return verdict(isLost ? "Degraded" : "Starting", cache.reason, cache.message);
}

function ofKVCache({ kv }: Lowered): Verdict | undefined {
  if (kv.is === "failed") return verdict("Degraded", kv.reason, kv.message);
  return kv.is === "waiting" ? verdict("Starting", kv.reason, kv.message) : undefined;
}

function ofRuntime(lowered: Lowered, seen: ServiceSeen): Verdict {
  const runtime = runtimeOf(lowered, seen);
  const route = routeOf(lowered, seen);
  if (!runtime.isReady) return runtime.verdict;
  return route ?? verdict("Running", "RuntimeReady", "The service answers");
}

/** What runs it, and whether it answers. */
function runtimeOf({ health }: Lowered, seen: ServiceSeen): { isReady: true } | { isReady: false; verdict: Verdict } {
  const creating = (message: string) =>
    ({ isReady: false, verdict: verdict("Starting", "CreatingRuntime", message) }) as const;
  const trouble = findTrouble(seen.pods.filter(({ isReady }) => !isReady));
  const isKServe = seen.kserve.is === "known" && seen.kserve.value;
  const isReady = isKServe
    ? seen.inferenceService.is === "known" && seen.inferenceService.value.isReady
    : health !== undefined && health.ready > 0 && health.ready >= health.desired;
  if (isReady) return { isReady };
  const failure = seen.inferenceService.is === "known" ? seen.inferenceService.value.failure : undefined;
  if (isKServe && failure !== undefined) return { isReady, verdict: verdict("Degraded", "RuntimeFailed", failure) };
  if (trouble?.kind === "unschedulable" || trouble?.kind === "volume")
    return {
      isReady,
      verdict: verdict("Starting", "FailedScheduling", `No node takes pod ${trouble.pod}: ${trouble.message}`),
    };
  if (trouble !== undefined) {
    const words = trouble.lastWords === undefined ? "" : `. Its last words: ${trouble.lastWords}`;
    return { isReady, verdict: verdict("Degraded", "RuntimeFailed", `Pod ${trouble.pod}: ${trouble.message}${words}`) };
  }
  if (isKServe)
    return creating(
      seen.inferenceService.is === "known"
        ? (seen.inferenceService.value.message ?? "KServe makes it ready")
        : "The InferenceService is made",
    );
  return creating(
    health === undefined || health.total === 0
      ? "Its pods are made"
      : `${health.ready} of ${health.desired} pods answer`,
  );
}

/** Nothing when it is reached, or need not be. */
export function routeOf({ routing, rival }: Lowered, { route }: ServiceSeen): Verdict | undefined {
  if (routing.is !== "on" || rival !== undefined) return undefined;
  const parents = route.is === "known" ? route.value.parents : [];
  if (parents.length > 0 && parents.every(({ accepted }) => accepted)) return undefined;
  const refused = parents.find(({ accepted, reason }) => !accepted && reason !== "Pending");
  if (refused !== undefined)
    return verdict(
      "Degraded",
      "RouteFailed",
      `The Gateway does not take the route (${refused.reason}): ${refused.message}`,
    );
  return verdict("Starting", "ConfiguringRoute", `Gateway ${routing.parent.name} has not answered to the route yet`);
}
