import type { ClaimPlan, WorkloadIntent } from "@trivium/domain";
import { gpuCount, planGpu } from "../../hardware/gpu-plan.ts";
import { sharingFault } from "../../hardware/gpu-sharing.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";
import { templateAnnotation } from "../../names.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { labelsOf, selectorOf } from "../names/service-names.ts";
import type { ObservedService } from "../observe.ts";
import { budgetFault, unreadableQuantity } from "../pod/container-resources.ts";
import { type Engine, engineOf } from "../pod/engines/index.ts";
import { parallelismFault } from "../pod/parallelism.ts";
import { planPod } from "../pod/pod-template.ts";
import { priorityClassOf } from "../pod/priority.ts";
import { planScaling, replicasOf } from "../scaling/plan-scaling.ts";
import { planLayers } from "../sizing/device-layers.ts";
import { planFit } from "../sizing/fit.ts";
import { isTooLarge, sizingOf } from "../sizing/sizing.ts";
import { addressOf, closureOf } from "../traffic/address.ts";
import { servingModeOf } from "../traffic/serving-mode.ts";
import { claimSpaceFault } from "../weights/claim-space.ts";
import { planStorage, type StoragePlan } from "../weights/storage.ts";
import { failed, isUnresolved, type LoweredService, unknown } from "./lowered.ts";

interface Ingredients {
  readonly service: InferenceService;
  readonly model: Model;
  readonly draft: Model | undefined;
  readonly observed: ObservedService;
  readonly options: LlmkubeOptions;
}

/** From a service and Models that are ready to everything that should be. */
export function lowerServing({ service, model, draft, observed, options }: Ingredients): LoweredService {
  const { spec, metadata } = service;
  const engine = engineOf(spec.runtime);
  if (engine === undefined)
    return failed(
      "InvalidSpec",
      `Runtime ${spec.runtime} runs under the Metal agent; set hardware.accelerator of the Model to metal`,
    );
  const gpu = planGpu(model, service, options.gpuResources);
  if (gpu.is === "faulty") return failed("InvalidSpec", gpu.why);
  const fault =
    unreadableQuantity(service) ??
    budgetFault(service, model, gpu) ??
    sharingFault(service, gpu, options) ??
    parallelismFault(service, gpuCount(gpu)) ??
    formatFault(model, engine);
  if (fault !== undefined) return failed("InvalidSpec", fault);
  const image =
    spec.image ||
    options.images.runtimes[spec.runtime ?? "llamacpp"] ||
    engine.image?.(gpu.is === "none" ? "none" : gpu.vendor, model.spec);
  if (!image) return failed("InvalidSpec", `Runtime ${spec.runtime} requires an image; set spec.image`);
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const storage = planStorage({ service, model, engine, options, listing: observed.listing, served: live?.file });
  if (storage.is === "faulty")
    return failed(storage.reason === "SourceHidden" ? "ModelSourceNotFound" : "InvalidSpec", storage.why);
  const drafted =
    draft === undefined ? undefined : planStorage({ service, model: draft, engine, options, prefix: "draft-" });
  if (drafted?.is === "faulty") return failed("InvalidSpec", drafted.why);
  const claim = claimFault(storage, observed.claim);
  if (claim !== undefined) return claim;

  const sizing = sizingOf(service, { model, gpu }, observed);
  const small = live === undefined ? claimSpaceFault({ model, draft, observed, storage }) : undefined;
  if (small !== undefined) return small;
  if (live === undefined && isTooLarge(service, { model, gpu }, observed))
    return failed(
      "DoesNotFit",
      `No node has enough memory for the weights. ${planFit(sizing, undefined)?.message ?? ""}`,
    );
  const layers = engine.splitsLayers === true && gpuCount(gpu) > 0 ? planLayers(model, sizing, live) : undefined;
  const mode = servingModeOf(service);
  const port = spec.containerPort ?? portOf(service, engine);
  const args = engine.args({
    service,
    model,
    gpu,
    mode,
    port,
    weights: storage.weights,
    revision: storage.revision,
    projector: storage.projector,
    origin: storage.origin,
    draft: drafted?.weights ?? stagedDraft(service, storage),
    draftRevision: drafted?.revision,
    fittingLayers: layers?.count,
  });
  const priorityClass = observed.priority.is === "known" ? priorityClassOf(service) : undefined;
  const all = drafted === undefined ? storage : joinStorage(storage, drafted);
  const pod = planPod({ service, model, engine, gpu, image, args, port, storage: all, priorityClass, layers, options });
  const scaling = planScaling(service, engine);
  const name = metadata.name ?? "";
  const intent: WorkloadIntent = {
    workload: {
      name,
      labels: labelsOf(service),
      selector: selectorOf(service),
      pod,
      replicas: replicasOf(service, scaling, live?.replicas),
      update: gpu.is === "none" ? "roll" : "replace",
      history: spec.revisionHistoryLimit,
    },
    address: addressOf(service, closureOf(service)),
    cache: wantedClaim(storage, observed.claim),
    scaling,
    template: pod.annotations[templateAnnotation] ?? "",
    pods: observed.pods,
    ...(observed.deployment.is === "known" ? { refused: observed.deployment.value.refused } : {}),
    wasServing: service.status?.phase === "Ready" || service.status?.phase === "Progressing",
  };
  return { is: "intended", intent, gpu, mode, model, storage, sizing, layers };
}

/** A claim of the service's own is always named, since what is not named goes; a shared one only has to be made once. */
function wantedClaim({ cache }: StoragePlan, claim: ObservedService["claim"]): ClaimPlan | undefined {
  if (cache?.is !== "ours") return undefined;
  return cache.plan.life === "owned" || claim?.is === "absent" ? cache.plan : undefined;
}

const readable: readonly string[] = ["gguf", "custom"];

function formatFault({ metadata, spec }: Model, { takes, container }: Engine): string | undefined {
  const { format = "gguf" } = spec;
  if (takes !== "file" || readable.includes(format)) return undefined;
  return `${container} supports only GGUF files, but Model ${metadata.name} has the format ${format}; use another runtime, or a GGUF model`;
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

/** What both need is there once. */
function joinStorage(a: StoragePlan, b: StoragePlan): Pick<StoragePlan, "volumes" | "mounts" | "initContainers"> {
  const byName = <T extends { name: string }>(list: readonly T[]): T[] => [
    ...new Map(list.map((one) => [one.name, one])).values(),
  ];
  return {
    volumes: byName([...b.volumes, ...a.volumes]),
    mounts: byName([...b.mounts, ...a.mounts]),
    initContainers: [...a.initContainers, ...b.initContainers],
  };
}

function claimFault({ cache }: StoragePlan, claim: ObservedService["claim"]): LoweredService | undefined {
  if (cache === undefined || claim === undefined) return undefined;
  if (isUnresolved(claim)) return unknown;
  if (claim.is === "known" || cache.is === "ours") return undefined;
  return failed(
    "CacheClaimNotFound",
    `PersistentVolumeClaim ${cache.name} not found; create it, or change spec.modelCache.claimName`,
  );
}
