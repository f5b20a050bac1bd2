import type { ClaimPlan, ServingIntent } from "@trivium/domain";
import type { Fact } from "@trivium/std";
import { type GpuPlan, gpuCount, planGpu } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import { templateAnnotation } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import { isAllowed } from "../weights/local-root.ts";
import { parseSource } from "../weights/source.ts";
import type { ServiceReason } from "../words.ts";
import { unreadableQuantity } from "./container-resources.ts";
import { type Engine, engineOf } from "./engines/index.ts";
import { labelsOf, selectorOf, serviceNameOf } from "./names.ts";
import type { ServiceSeen } from "./observe.ts";
import { parallelismFault } from "./parallelism.ts";
import { planPod } from "./pod-template.ts";
import { priorityClassOf } from "./priority.ts";
import { planScaling, replicasOf } from "./scaling.ts";
import { type ServingMode, servingModeOf } from "./serving-mode.ts";
import { planStorage, type StoragePlan } from "./storage.ts";

/** What a service comes to. */
export type LoweredService =
  /** A fact has not come yet. */
  | { readonly is: "unknown" }
  /** Nothing can be made yet, or ever, as things are; what runs stays. */
  | {
      readonly is: "blocked";
      readonly phase: "Failed" | "Pending";
      readonly reason: ServiceReason | "Pending";
      readonly message: string;
      readonly isModelReady: boolean;
    }
  /** A Mac serves it; nothing of ours runs. */
  | { readonly is: "metal" }
  | {
      readonly is: "intended";
      readonly intent: ServingIntent;
      readonly gpu: GpuPlan;
      readonly mode: ServingMode;
      readonly model: Model;
      readonly engine: Engine;
    };

type Blocked = Extract<LoweredService, { is: "blocked" }>;
const failed = (reason: ServiceReason, message: string, isModelReady = true): Blocked => ({
  is: "blocked",
  phase: "Failed",
  reason,
  message,
  isModelReady,
});
const unknown = { is: "unknown" } as const;

export function lowerService(service: InferenceService, seen: ServiceSeen, options: LlmkubeOptions): LoweredService {
  const model = readyModel(seen.model, service.spec.modelRef);
  if (model.is !== "ready") return model;
  const draftRef = service.spec.speculativeDecoding?.draftModelRef;
  const draft = draftRef && seen.draft !== undefined ? readyModel(seen.draft, draftRef) : undefined;
  if (draft !== undefined && draft.is !== "ready") return draft;
  if (isDark(seen.deployment) || isDark(seen.priority)) return unknown;
  if (model.model.spec.hardware?.accelerator === "metal") return { is: "metal" };
  for (const one of [model.model, ...(draft === undefined ? [] : [draft.model])]) {
    if (!isAllowed(parseSource(one.spec.source), options.localRoots))
      return failed(
        "InvalidSpec",
        `the source of Model ${one.metadata.name} may not be read: the operator does not allow its folder`,
      );
  }
  return lowerServing({ service, model: model.model, draft: draft?.model, seen, options });
}

const isDark = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

type ReadyModel = { readonly is: "ready"; readonly model: Model } | Blocked | typeof unknown;

function readyModel(fact: ServiceSeen["model"], name: string): ReadyModel {
  if (fact.is !== "known" && fact.is !== "absent") return unknown;
  if (fact.is === "absent") {
    return failed(
      "ModelNotFound",
      `Model ${name} does not exist in this namespace; create it, or name another in spec.modelRef`,
      false,
    );
  }
  const { status } = fact.value;
  if (status?.phase === "Ready") return { is: "ready", model: fact.value };
  const why = status?.conditions?.find(({ type }) => type === "Degraded" || type === "Available")?.message;
  const message = `Model ${name} is ${status?.phase ?? "new"}${why ? `: ${why}` : ""}`;
  return { is: "blocked", phase: "Pending", reason: "Pending", message, isModelReady: false };
}

interface Ingredients {
  readonly service: InferenceService;
  readonly model: Model;
  readonly draft: Model | undefined;
  readonly seen: ServiceSeen;
  readonly options: LlmkubeOptions;
}

function lowerServing({ service, model, draft, seen, options }: Ingredients): LoweredService {
  const { spec, metadata } = service;
  const engine = engineOf(spec.runtime);
  if (engine === undefined)
    return failed(
      "InvalidSpec",
      `runtime ${spec.runtime} runs under the Metal agent: set accelerator: metal on the Model`,
    );
  const unreadable = unreadableQuantity(service);
  if (unreadable !== undefined) return failed("InvalidSpec", unreadable);
  const gpu = planGpu(model, service);
  if (gpu.is === "faulty") return failed("InvalidSpec", gpu.why);
  const parallelism = parallelismFault(service, gpuCount(gpu));
  if (parallelism !== undefined) return failed("InvalidSpec", parallelism);
  const image =
    spec.image ||
    options.images.runtimes[spec.runtime ?? "llamacpp"] ||
    engine.image?.(gpu.is === "none" ? "none" : gpu.vendor, model.spec);
  if (!image) return failed("InvalidSpec", `runtime ${spec.runtime} needs spec.image`);
  const storage = planStorage({ service, model, engine, options });
  if (storage.is === "faulty") return failed("InvalidSpec", storage.why);
  const drafted =
    draft === undefined ? undefined : planStorage({ service, model: draft, engine, options, prefix: "draft-" });
  if (drafted?.is === "faulty") return failed("InvalidSpec", drafted.why);
  const claim = claimFault(storage, seen.claim);
  if (claim !== undefined) return claim;

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
    draft: drafted?.weights ?? stagedDraft(service, storage),
  });
  const priorityClass = seen.priority.is === "known" ? priorityClassOf(service) : undefined;
  const all = drafted === undefined ? storage : joinStorage(storage, drafted);
  const pod = planPod({ service, model, engine, gpu, image, args, port, storage: all, priorityClass, options });
  const scaling = planScaling(service, engine);
  const live = seen.deployment.is === "known" ? seen.deployment.value.replicas : undefined;
  const name = metadata.name ?? "";
  const intent: ServingIntent = {
    workload: {
      name,
      labels: labelsOf(service),
      selector: selectorOf(service),
      pod,
      replicas: replicasOf(service, scaling, live),
      update: gpu.is === "none" ? "roll" : "replace",
      history: spec.revisionHistoryLimit,
    },
    address: addressOf(service),
    cache: wantedClaim(storage, seen.claim),
    scaling,
    template: pod.annotations[templateAnnotation] ?? "",
    pods: seen.pods,
    wasServing: service.status?.phase === "Ready" || service.status?.phase === "Progressing",
  };
  return { is: "intended", intent, gpu, mode, model, engine };
}

/** A claim of the service's own is always named, since what is not named goes; a shared one only has to be made once. */
function wantedClaim({ cache }: StoragePlan, claim: ServiceSeen["claim"]): ClaimPlan | undefined {
  if (cache?.is !== "ours") return undefined;
  return cache.plan.life === "owned" || claim?.is === "absent" ? cache.plan : undefined;
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

function claimFault({ cache }: StoragePlan, claim: ServiceSeen["claim"]): LoweredService | undefined {
  if (cache === undefined || claim === undefined) return undefined;
  if (isDark(claim)) return unknown;
  if (claim.is === "known" || cache.is === "ours") return undefined;
  return failed(
    "CacheClaimNotFound",
    `PersistentVolumeClaim ${cache.name} of spec.modelCache.claimName does not exist; create it`,
  );
}

function addressOf(service: InferenceService): ServingIntent["address"] {
  const { spec } = service;
  const { port = 8080, type = "ClusterIP", nodePort, gateway } = spec.endpoint ?? {};
  const names = new Set(
    [gateway?.modelName, service.metadata.name, spec.modelRef].filter((name) => name !== undefined && name !== ""),
  );
  return {
    name: serviceNameOf(service),
    labels: labelsOf(service),
    annotations: { "trivium.dev/models": [...names].join(",") },
    selector: selectorOf(service),
    type,
    ports: [{ name: "http", port, target: "http", nodePort: type === "ClusterIP" ? undefined : nodePort }],
  };
}
