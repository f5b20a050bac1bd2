import type { Choice, PodPlan, SizingIntent } from "@trivium/domain";
import { assessFit, formatDiagnosis } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import { servicePaths } from "../field-paths.ts";
import { gpuCount } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { templateAnnotation } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import type { ObservedService } from "./observe.ts";
import type { Engine } from "./pod/engines/index.ts";
import { planPod } from "./pod/pod-template.ts";
import { priorityClassOf } from "./pod/priority.ts";
import { planRollout, type RolloutPlan } from "./roles/rollout.ts";
import { serverRole } from "./roles/server-role.ts";
import { type Blocked, type Candidate, failed, type Intended } from "./selection/lowered.ts";
import { allLayers, type LayerPlan, planLayers } from "./sizing/device-layers.ts";
import { sizingOf } from "./sizing/sizing.ts";
import { isTrial, lowerRoutes } from "./traffic/canary.ts";
import { type ServingMode, servingModeOf } from "./traffic/serving-mode.ts";
import { type PlacedWeights, placeWeights, wantedClaim } from "./weights/place-weights.ts";
import type { StoragePlan } from "./weights/storage.ts";

export interface LowerContext {
  readonly choice: Choice;
  readonly observed: ObservedService;
  readonly options: LlmkubeOptions;
  readonly now: Instant;
}

/** From a service whose image is chosen to everything that should be, in the words that all dialects share. */
export function lowerService(
  service: InferenceService,
  candidate: Candidate,
  context: LowerContext,
): Blocked | Intended {
  const { choice, observed, now } = context;
  if (choice.chosen === undefined)
    return failed("InvalidSpec", `Runtime ${service.spec.runtime} requires an image; set spec.image`);
  const { model, gpu, engine, draft } = candidate;
  const requested = sizingOf(service, { model, gpu, draft, slotContexts: context.options.slotContexts }, observed);
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const layers =
    engine.splitsLayers === true && gpuCount(gpu) > 0 ? planLayers(model, requested?.request, live) : undefined;
  const sizing = requested && withLayers(requested, layers);
  const weights = placeWeights(service, candidate, context);
  if (weights.is === "blocked") return blockedByMemory(weights, sizing);
  const mode = servingModeOf(service);
  const pod = lowerPod(service, candidate, { ...context, image: choice.chosen, weights, layers, mode });
  const template = pod.annotations[templateAnnotation] ?? "";
  const { asked } = candidate;
  const rollout: RolloutPlan = isTrial(asked, observed)
    ? { is: "goes" }
    : planRollout(service, observed, { template, now });
  const role = serverRole(service, { engine, gpu, pod, template, rollout, observed, asked });
  const { storage } = weights;
  return {
    is: "intended",
    intent: {
      identity: {
        kind: "InferenceService",
        namespace: service.metadata.namespace ?? "",
        name: service.metadata.name ?? "",
      },
      choice,
      weights: { is: "placed" },
      sizing,
      roles: [role],
      claims: wantedClaim(storage, observed.claim),
      routes:
        role.address === undefined
          ? []
          : lowerRoutes(service, observed, { address: role.address, canary: role.canary }),
      paths: servicePaths,
      now,
    },
    model,
    gpu,
    mode,
    storage,
    rollout,
    asked,
    promptCache: candidate.promptCache,
    engineLimits: context.options.engineLimits,
  };
}

/** More space for weights that no node can load would not help, so memory comes first. */
function blockedByMemory(blocked: Blocked, sizing: SizingIntent | undefined): Blocked {
  if (blocked.lacksSpace !== true) return blocked;
  const { misfit, fit } = assessFit(sizing);
  return misfit === undefined ? { ...blocked, fit } : { ...failed("DoesNotFit", formatDiagnosis(misfit)), fit };
}

/** Where not all layers fit, some run on the CPU. */
const withLayers = (sizing: SizingIntent, layers: LayerPlan | undefined): SizingIntent =>
  layers !== undefined && layers.count < allLayers ? { ...sizing, deviceLayers: layers.count } : sizing;

interface PodContext extends LowerContext {
  readonly image: string;
  readonly weights: PlacedWeights;
  readonly layers: LayerPlan | undefined;
  readonly mode: ServingMode;
}

function lowerPod(service: InferenceService, candidate: Candidate, context: PodContext): PodPlan {
  const { model, engine, gpu } = candidate;
  const { image, layers, options, observed } = context;
  const { storage, drafted, adapters, joined } = context.weights;
  const port = service.spec.containerPort ?? portOf(service, engine);
  const cache = candidate.promptCache?.is === "planned" ? candidate.promptCache : undefined;
  const args = engine.args({
    service,
    model,
    gpu,
    mode: context.mode,
    port,
    weights: storage.weights,
    revision: storage.revision,
    projector: storage.projector,
    origin: storage.origin,
    draft: drafted?.weights ?? stagedDraft(service, storage),
    draftRevision: drafted?.revision,
    adapters,
    promptCache: cache?.args ?? [],
    fittingLayers: layers?.count,
  });
  const priorityClass = observed.priority.is === "known" ? priorityClassOf(service) : undefined;
  const env = cache?.env ?? [];
  return planPod({
    service,
    model,
    engine,
    gpu,
    image,
    args,
    env,
    port,
    storage: joined,
    priorityClass,
    layers,
    options,
  });
}

/** The default of `endpoint.port` says nothing about the engine; only a port that differs from it does. */
function portOf({ spec }: InferenceService, engine: Engine): number {
  const port = spec.endpoint?.port;
  return port === undefined || port === 8080 ? engine.port : port;
}

/** A draft that is one of the Model's own files. */
function stagedDraft({ spec }: InferenceService, { folder }: StoragePlan): string | undefined {
  const file = spec.speculativeDecoding?.draftModel;
  return file === undefined || folder === undefined ? undefined : `${folder}/${file}`;
}
