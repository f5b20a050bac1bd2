import { normalizeModel, type ObservedGpu } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { condition, conditionsFor, configCondition, generationOf } from "../conditions.ts";
import { planNodeAffinity } from "../hardware/gpu-availability.ts";
import { asksForGpus, type HardwareRequest, summarizeHardware } from "../hardware/hardware-request.ts";
import type { Template, TemplateStatus } from "../objects.ts";
import type { Profile } from "./discovery/discovery-output.ts";
import type { TemplateOutcome } from "./discovery/outcome.ts";
import { eventsOf, warningsOf } from "./events.ts";
import type { TemplateIntent } from "./lower.ts";
import type { ObservedTemplate } from "./observe.ts";
import { standing, statusViewOf } from "./status/status-view.ts";

interface RaisedTemplate {
  readonly status: TemplateStatus;
  readonly notes: readonly Note[];
}

type Judged = Extract<TemplateIntent, { is: "judged" }>;

/** The whole status of a template, and what is told about it. */
export function raiseTemplate(
  template: Template,
  intent: TemplateIntent,
  { observed, namespace }: { observed: ObservedTemplate; namespace: string },
): RaisedTemplate {
  switch (intent.is) {
    case "unknown":
      return { status: template.status ?? { ...generationOf(template), status: "Pending" }, notes: [] };
    case "unconfigured":
      return raiseUnconfigured(template, intent.message);
    case "judged":
      return raiseJudged(template, intent, { observed, namespace });
  }
}

function raiseUnconfigured(template: Template, message: string): RaisedTemplate {
  const reported = { reason: "RuntimeConfigMissing", message };
  const conditions = [
    configCondition({ is: "missing", message }),
    ...standing(reported, { ready: "False", progressing: "False", failure: "True" }),
  ];
  const { discovery, resolvedModel } = template.status ?? {};
  const status: TemplateStatus = {
    ...generationOf(template),
    status: "Degraded",
    ...(resolvedModel === undefined ? {} : { resolvedModel }),
    ...foundBefore(template),
    ...(discovery === undefined ? {} : { discovery }),
    conditions: conditionsFor(template, conditions),
  };
  return { status, notes: warningsOf(reported) };
}

function raiseJudged(
  template: Template,
  intent: Judged,
  { observed, namespace }: { observed: ObservedTemplate; namespace: string },
): RaisedTemplate {
  const { config, model, outcome, memory } = intent;
  const statusView = statusViewOf(outcome);
  const status: TemplateStatus = {
    ...generationOf(template),
    status: statusView.state,
    ...(config.reference === undefined ? {} : { resolvedRuntimeConfig: config.reference }),
    ...(model === undefined
      ? {}
      : {
          resolvedModel: {
            name: model.name,
            ...(model.namespace === undefined ? {} : { namespace: model.namespace }),
            scope: model.namespace === undefined ? "Cluster" : "Namespace",
            kind: model.kind,
            uid: model.uid,
          },
        }),
    ...findings(template, intent, observed.gpus),
    ...cacheReference(template, observed),
    ...jobReference(outcome, namespace),
    ...(memory === undefined ? {} : { discovery: memory }),
    conditions: conditionsFor(template, [
      configCondition(config),
      ...gpuCondition(intent),
      ...statusView.conditions,
      ...freshness(intent),
      ...cacheCondition(observed),
    ]),
  };
  return { status, notes: eventsOf(intent, statusView.notes) };
}

function jobReference(outcome: TemplateOutcome, namespace: string): Pick<TemplateStatus, "discoveryJob"> {
  const asking = outcome.is === "ready" ? outcome.refresh : outcome;
  if (asking === undefined || !("job" in asking)) return {};
  return { discoveryJob: { name: asking.job, namespace, scope: "Namespace", kind: "Job" } };
}

/** Only where it matters which nodes there are. */
function gpuCondition({ request, gpus }: Judged): DecidedCondition[] {
  const type = "GPUReady";
  if (!asksForGpus(request)) return [];
  if (gpus.is === "unavailable") return [condition(type, "False", gpus)];
  const message =
    gpus.models.length > 0
      ? `Matching GPU models in the cluster: ${gpus.models.join(", ")}`
      : `A node with ${request.count ?? 1} ${request.resourceName} is available`;
  return [condition(type, "True", { reason: "GPUAvailable", message })];
}

/** Whether what was found out is of the image that the tag leads to now. */
function freshness({ outcome, memory, model }: Judged): DecidedCondition[] {
  const type = "UpToDate";
  if (outcome.is !== "ready" || outcome.by !== "Discovered" || memory?.imageDigest === undefined) return [];
  const { refresh } = outcome;
  const image = model?.image ?? "the image";
  if (refresh === undefined)
    return [
      condition(type, "True", {
        reason: type,
        message: `The tag of ${image} still refers to the image that was inspected`,
      }),
    ];
  const text = `The tag of ${image} moved to another image; services keep using the previous discovery results`;
  if (refresh.is === "waiting" || refresh.is === "running")
    return [condition(type, "False", { reason: "ImageMoved", message: `${text} while discovery runs again` })];
  return [condition(type, "False", { reason: refresh.reason, message: `${text}. ${refresh.message}` })];
}

function cacheReference({ metadata }: Template, { cache }: ObservedTemplate): Pick<TemplateStatus, "resolvedCache"> {
  if (cache?.is !== "known") return {};
  const { name = "", namespace = "" } = metadata;
  return { resolvedCache: { name, namespace, scope: "Namespace", kind: "AIMTemplateCache", uid: cache.value.uid } };
}

/** For people to see: a template is ready without its cache, because services can do without. */
function cacheCondition({ cache }: ObservedTemplate): DecidedCondition[] {
  const type = "CacheWarm";
  if (cache === undefined || cache.is === "pending" || cache.is === "unreachable") return [];
  if (cache.is === "absent")
    return [
      condition(type, "False", { reason: "WarmRequested", message: "Creating an AIMTemplateCache for the weights" }),
    ];
  const { state } = cache.value;
  if (state === "Available" || state === "Ready")
    return [condition(type, "True", { reason: "Warm", message: "The weights are cached" })];
  if (state === "Failed")
    return [
      condition(type, "False", {
        reason: "WarmFailed",
        message: "The cache failed; check the AIMTemplateCache of this name",
      }),
    ];
  return [condition(type, "False", { reason: "Warming", message: "Downloading the weights" })];
}

/** Profile and hardware. What was found out stays until something else is. */
function findings(
  template: Template,
  { outcome, request, gpus }: Judged,
  all: readonly ObservedGpu[],
): Partial<TemplateStatus> {
  const summary = summarizeHardware(request);
  if (outcome.is !== "ready") {
    // No discovery changes what a template that waits for such GPUs asks for.
    const asked = outcome.is === "unavailable" ? hardwareStatus(request) : {};
    return { ...asked, ...(summary === "" ? {} : { hardwareSummary: summary }), ...foundBefore(template) };
  }
  const resolved = resolveHardware(request, outcome.profile);
  const models = gpus.is === "available" && gpus.models.length > 0 ? gpus.models : resolved.models;
  const affinity = planNodeAffinity(models, all);
  const words = summarizeHardware(resolved);
  return {
    profile: outcome.profile,
    modelSources: outcome.sources,
    ...hardwareStatus(resolved),
    ...(words === "" ? {} : { hardwareSummary: words }),
    ...(affinity === undefined ? {} : { resolvedNodeAffinity: affinity }),
  };
}

/** What services that run on the template go by: it must not change under them because something is away or asked anew. */
function foundBefore({ status }: Template): Partial<TemplateStatus> {
  const { profile, modelSources, resolvedHardware, resolvedNodeAffinity, hardwareSummary } = status ?? {};
  if (profile === undefined) return {};
  return {
    profile,
    ...(modelSources === undefined ? {} : { modelSources }),
    ...(resolvedHardware === undefined ? {} : { resolvedHardware }),
    ...(resolvedNodeAffinity === undefined ? {} : { resolvedNodeAffinity }),
    ...(hardwareSummary === undefined ? {} : { hardwareSummary }),
  };
}

/** What the image found counts; what it leaves open the spec says. */
function resolveHardware(request: HardwareRequest, { metadata }: Profile): HardwareRequest {
  const count = metadata?.gpuCount ?? request.count;
  const models = request.models.length > 0 || !metadata?.gpu ? request.models : [normalizeModel(metadata.gpu)];
  return { ...request, ...(count === undefined ? {} : { count }), models };
}

function hardwareStatus({ count, models, minVram, resourceName, cpu }: HardwareRequest): Partial<TemplateStatus> {
  const hasGpu = (count ?? 0) > 0 || models.length > 0 || minVram !== undefined;
  if (!hasGpu && cpu === undefined) return {};
  const gpu = {
    ...(count === undefined ? {} : { requests: count }),
    ...(models.length === 0 ? {} : { models: [...models] }),
    ...(minVram === undefined ? {} : { minVram }),
    resourceName,
  };
  return { resolvedHardware: { ...(hasGpu ? { gpu } : {}), ...(cpu === undefined ? {} : { cpu }) } };
}
