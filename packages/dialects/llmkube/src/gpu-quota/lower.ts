import { type Amounts, type GrantedQuota, grantQuota, type QuotaClaim, type QuotaLimit } from "@trivium/engines";
import { group } from "../group.ts";
import { gpuDemandOf } from "../hardware/gpu-demand.ts";
import { priorityValueOf } from "../inference-service/pod/priority.ts";
import { lowerModels } from "../inference-service/selection/candidates.ts";
import { chooseImage } from "../inference-service/selection/choose-image.ts";
import { draftRefOf } from "../inference-service/weights/draft-model.ts";
import type { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import type { ObservedQuota, ObservedQuotas, QuotaModel, QuotaService } from "./observe.ts";
import { covers } from "./scope/quota-scope.ts";

export interface LoweredQuotas extends GrantedQuota {
  /** Services that no quota covers, and that one did. */
  readonly left: readonly QuotaService[];
}

/** Who gets GPUs, decided for all services of all quotas. */
export function lowerQuotas(observed: ObservedQuotas, options: LlmkubeOptions): LoweredQuotas {
  const labels = new Map(observed.namespaces.map((one) => [one.name, one.labels]));
  const models = new Map(observed.models.map((model) => [model.key, model]));
  const running = new Map(observed.workloads.map(({ key, gpus }) => [key, gpus]));
  const limitsOf = (namespace: string): string[] =>
    observed.quotas.flatMap(({ scope }) => (covers(scope, namespace, labels.get(namespace)) ? [scope.key] : []));
  const ofServices = observed.services.flatMap((service): QuotaClaim[] => {
    const limits = limitsOf(service.namespace);
    const gpus = running.get(keyOf(service)) ?? 0;
    running.delete(keyOf(service));
    return limits.length === 0 ? [] : [{ ...claimOf(service, { ...observed, models, gpus, options }), limits }];
  });
  const claims = [
    ...ofServices,
    ...[...running].map(([key, gpus]) => ({
      ...claimOfLeft(key, usesOf(gpus, observed.deviceBytes)),
      limits: limitsOf(key.slice(0, key.indexOf("/"))),
    })),
  ];
  const covered = new Set(claims.map(({ key }) => key));
  const left = observed.services.filter((one) => one.granted !== undefined && !covered.has(keyOf(one)));
  return { ...grantQuota(claims, observed.quotas.map(limitOf)), left };
}

export const keyOf = ({ namespace, name }: Pick<QuotaService, "namespace" | "name">): string => `${namespace}/${name}`;

interface ClaimContext {
  readonly models: ReadonlyMap<string, QuotaModel>;
  /** Of its Deployments. */
  readonly gpus: number;
  readonly deviceBytes?: number;
  readonly options: LlmkubeOptions;
}

/** A service that cannot run gets nothing more than it has, so that others can. */
function claimOf(service: QuotaService, context: ClaimContext): Omit<QuotaClaim, "limits"> {
  const { namespace, spec, canaryPercent } = service;
  const { models, gpus, deviceBytes } = context;
  const gpu = models.get(`${namespace}/${spec.modelRef}`)?.spec.hardware?.gpu ?? undefined;
  const demand = gpuDemandOf({ spec, canaryPercent, gpu, deviceBytes });
  const { gpus: count = 0, bytes } = demand;
  const uses = usesOf(gpus, count > 0 && bytes !== undefined ? bytes / count : deviceBytes);
  return {
    key: keyOf(service),
    wanted: canRun(service, context) ? demand : uses,
    held: heldOf(service, uses),
    uses,
    priority: priorityValueOf(spec.priority),
    createdAt: service.createdAt,
  };
}

const apiVersion = `${group.group}/${group.version}`;

/** By the gates that the service itself passes before it asks for GPUs. */
function canRun({ namespace, name, spec }: QuotaService, { models, options }: ClaimContext): boolean {
  const modelOf = (ref: string): Model | undefined => {
    const found = models.get(`${namespace}/${ref}`);
    return found?.isReady === true
      ? { apiVersion, kind: "Model", metadata: { namespace, name: ref }, spec: found.spec }
      : undefined;
  };
  const service = { apiVersion, kind: "InferenceService", metadata: { namespace, name }, spec };
  const [model, ref] = [modelOf(spec.modelRef), draftRefOf(service)];
  const draft = ref && modelOf(ref.name);
  if (model === undefined || (ref !== undefined && draft === undefined)) return false;
  const candidate = lowerModels(service, { model, draft, options });
  return candidate.is === "candidate" && chooseImage({ service, ...candidate, options }).chosen !== undefined;
}

/** Deployments whose service is gone, or is being deleted. */
const claimOfLeft = (key: string, uses: Amounts): Omit<QuotaClaim, "limits"> => ({
  key,
  wanted: uses,
  held: uses,
  uses,
  priority: 0,
  createdAt: "",
});

function usesOf(gpus: number, bytesEach: number | undefined): Amounts {
  if (gpus === 0) return { gpus: 0, bytes: 0 };
  return { gpus, ...(bytesEach === undefined ? {} : { bytes: Math.round(bytesEach * gpus) }) };
}

/** What ran before there was a quota has what it runs with. */
function heldOf({ granted }: QuotaService, uses: Amounts): Amounts {
  if (granted === undefined) return uses.gpus === 0 ? {} : uses;
  if (granted.gpus === 0 && granted.waiting !== undefined) return {};
  const { gpus, memoryBytes: bytes } = granted;
  return { gpus, ...(bytes === undefined ? {} : { bytes }) };
}

function limitOf({ scope, spec }: ObservedQuota): QuotaLimit {
  const { gpuCount, vramBytes = 0, minPriority } = spec;
  return {
    key: scope.key,
    amounts: { gpus: gpuCount, ...(vramBytes > 0 ? { bytes: vramBytes } : {}) },
    ...(minPriority === undefined ? {} : { minPriority: priorityValueOf(minPriority) }),
  };
}
