import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { condition, conditionsFor, configCondition, generationOf } from "../conditions.ts";
import { planNodeAffinity } from "../hardware/gpu-availability.ts";
import { normalizeModel } from "../hardware/gpu-models.ts";
import { type HardwareWish, summarizeHardware } from "../hardware/hardware-wish.ts";
import type { GpuSeen } from "../hardware/node-gpus.ts";
import type { Template, TemplateStatus } from "../objects.ts";
import type { TemplateReason } from "../words/catalog.ts";
import type { Profile } from "./discovery-output.ts";
import type { TemplateIntent, TemplateVerdict } from "./lower.ts";
import type { TemplateSeen } from "./observe.ts";

export interface RaisedTemplate {
  readonly status: TemplateStatus;
  readonly notes: readonly Note[];
}

type Judged = Extract<TemplateIntent, { is: "judged" }>;

/** The whole status of a template, and what is told about it. */
export function raiseTemplate(
  template: Template,
  intent: TemplateIntent,
  { seen, namespace }: { seen: TemplateSeen; namespace: string },
): RaisedTemplate {
  switch (intent.is) {
    case "unknown":
      return { status: template.status ?? { ...generationOf(template), status: "Pending" }, notes: [] };
    case "unconfigured":
      return raiseUnconfigured(template, intent.message);
    case "judged":
      return raiseJudged(template, intent, { seen, namespace });
  }
}

function raiseUnconfigured(template: Template, message: string): RaisedTemplate {
  const said = { reason: "RuntimeConfigMissing", message };
  const conditions = [
    configCondition({ is: "missing", message }),
    ...standing(said, { ready: "False", progressing: "False", failure: "True" }),
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
  return { status, notes: [{ type: "Warning", ...said }] };
}

function raiseJudged(
  template: Template,
  intent: Judged,
  { seen, namespace }: { seen: TemplateSeen; namespace: string },
): RaisedTemplate {
  const { config, model, verdict, memory } = intent;
  const face = faceOf(verdict);
  const status: TemplateStatus = {
    ...generationOf(template),
    status: face.state,
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
    ...findings(template, intent, seen.gpus),
    ...cacheReference(template, seen),
    ...("job" in verdict ? { discoveryJob: { name: verdict.job, namespace, scope: "Namespace", kind: "Job" } } : {}),
    ...(memory === undefined ? {} : { discovery: memory }),
    conditions: conditionsFor(template, [configCondition(config), ...face.conditions, ...cacheCondition(seen)]),
  };
  return { status, notes: face.notes };
}

function cacheReference({ metadata }: Template, { cache }: TemplateSeen): Pick<TemplateStatus, "resolvedCache"> {
  if (cache?.is !== "known") return {};
  const { name = "", namespace = "" } = metadata;
  return { resolvedCache: { name, namespace, scope: "Namespace", kind: "AIMTemplateCache", uid: cache.value.uid } };
}

/** For people to see: a template is ready without its cache, because services can do without. */
function cacheCondition({ cache }: TemplateSeen): DecidedCondition[] {
  const type = "CacheWarm";
  if (cache === undefined || cache.is === "pending" || cache.is === "unreachable") return [];
  if (cache.is === "absent")
    return [condition(type, "False", { reason: "WarmRequested", message: "A cache of the weights is asked for" })];
  const { state } = cache.value;
  if (state === "Available" || state === "Ready")
    return [condition(type, "True", { reason: "Warm", message: "The weights are in the cache" })];
  if (state === "Failed")
    return [
      condition(type, "False", {
        reason: "WarmFailed",
        message: "The cache failed; look at the AIMTemplateCache of this name",
      }),
    ];
  return [condition(type, "False", { reason: "Warming", message: "The weights are being fetched" })];
}

/** Profile and hardware. What was found out stays until something else is. */
function findings(
  template: Template,
  { verdict, wish, gpus }: Judged,
  all: readonly GpuSeen[],
): Partial<TemplateStatus> {
  const summary = summarizeHardware(wish);
  if (verdict.is !== "ready") {
    return { ...(summary === "" ? {} : { hardwareSummary: summary }), ...foundBefore(template) };
  }
  const resolved = resolveHardware(wish, verdict.profile);
  const models = gpus.is === "available" && gpus.models.length > 0 ? gpus.models : resolved.models;
  const affinity = planNodeAffinity(models, all);
  const words = summarizeHardware(resolved);
  return {
    profile: verdict.profile,
    modelSources: verdict.sources,
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
function resolveHardware(wish: HardwareWish, { metadata }: Profile): HardwareWish {
  const count = metadata?.gpuCount ?? wish.count;
  const models = wish.models.length > 0 || !metadata?.gpu ? wish.models : [normalizeModel(metadata.gpu)];
  return { ...wish, ...(count === undefined ? {} : { count }), models };
}

function hardwareStatus({ count, models, minVram, resourceName, cpu }: HardwareWish): Partial<TemplateStatus> {
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

/** How a verdict looks to the user. */
interface Face {
  readonly state: NonNullable<TemplateStatus["status"]>;
  readonly conditions: readonly DecidedCondition[];
  readonly notes: readonly Note[];
}

type Truth = "True" | "False";
interface Said {
  readonly reason: string;
  readonly message: string;
}

const standing = (
  said: Said,
  { ready, progressing, failure }: { ready: Truth; progressing: Truth; failure: Truth },
): DecidedCondition[] => [
  condition("Ready", ready, said),
  condition("Progressing", progressing, said),
  condition("Failure", failure, said),
];

function faceOf(verdict: TemplateVerdict): Face {
  switch (verdict.is) {
    case "ready":
      return readyFace(verdict);
    case "unavailable":
      return unavailableFace(verdict);
    case "modelless":
      return badFace("Degraded", { reason: "ImageNotFound", message: verdict.message }, "ImageNotFound");
    case "homeless":
      return badFace("Degraded", { reason: "OperatorNamespaceMissing", message: verdict.message }, "DiscoveryFailed");
    case "waiting":
      return movingFace("Pending", "AwaitingDiscovery", "Waits for its turn to look into the image");
    case "running":
      return movingFace("Progressing", "DiscoveryRunning", verdict.message);
    case "stuck":
      return badFace("Degraded", verdict, pullNotes[verdict.reason]);
    case "failed":
      return failedFace(verdict);
  }
}

const pullNotes = {
  ImagePullAuthFailure: "ImagePullAuthFailed",
  ImageNotFound: "ImageNotFound",
  ImagePullBackOff: "ImagePullFailed",
} as const;

function readyFace({ by, sources }: Extract<TemplateVerdict, { is: "ready" }>): Face {
  const isInline = by === "InlineModelSources";
  const weights = sources.length === 1 ? "one set of weights" : `${sources.length} sets of weights`;
  const message = isInline ? `The spec names ${weights}` : `The image told what it needs: ${weights}`;
  const note: Note = { type: "Normal", reason: isInline ? "ModelSourcesProvided" : "DiscoverySucceeded", message };
  const conditions = [
    condition("Discovered", "True", { reason: by, message }),
    ...standing({ reason: "Available", message }, { ready: "True", progressing: "False", failure: "False" }),
  ];
  return { state: "Ready", conditions, notes: [note] };
}

function unavailableFace({ reason, message }: Extract<TemplateVerdict, { is: "unavailable" }>): Face {
  const said = { reason, message };
  const conditions = [
    condition("Discovered", "False", said),
    ...standing(said, { ready: "False", progressing: "False", failure: "False" }),
  ];
  return { state: "NotAvailable", conditions, notes: [{ type: "Warning", ...said }] };
}

function movingFace(state: "Pending" | "Progressing", reason: TemplateReason, message: string): Face {
  const said = { reason, message };
  const discovered = { reason: state === "Pending" ? "AwaitingDiscovery" : "JobPending", message };
  const conditions = [
    condition("Discovered", "False", discovered),
    condition("Ready", "False", { reason: "Reconciling", message }),
    condition("Progressing", "True", said),
    condition("Failure", "False", { reason: "NoFailure", message: "Nothing has gone wrong" }),
  ];
  return { state, conditions, notes: [] };
}

function badFace(state: "Degraded" | "Failed", { reason, message }: Said, note: string): Face {
  const said = { reason, message };
  const conditions = [
    condition("Discovered", "False", said),
    ...standing(said, { ready: "False", progressing: "False", failure: "True" }),
  ];
  return { state, conditions, notes: [{ type: "Warning", reason: note, message }] };
}

function failedFace({ reason, message, isFinal }: Extract<TemplateVerdict, { is: "failed" }>): Face {
  const said = { reason, message };
  const conditions = [
    condition("Discovered", "False", { reason: "DiscoveryFailed", message }),
    condition("Ready", "False", { reason: "Failed", message }),
    condition("Progressing", isFinal ? "False" : "True", { reason: "DiscoveryRetry", message }),
    condition("Failure", "True", said),
  ];
  const note = reason === "DiscoveryParseFailed" ? reason : "DiscoveryFailed";
  return { state: isFinal ? "Failed" : "Degraded", conditions, notes: [{ type: "Warning", reason: note, message }] };
}
