import { type GrantedQuota, grantQuota, type QuotaClaim, type QuotaLimit } from "@trivium/engines";
import { gpuDemandOf } from "../hardware/gpu-demand.ts";
import { priorityValueOf } from "../inference-service/pod/priority.ts";
import type { ObservedQuota, ObservedQuotas, QuotaService } from "./observe.ts";
import { covers } from "./scope/quota-scope.ts";

export interface LoweredQuotas extends GrantedQuota {
  /** Services that no quota covers, and that one did. */
  readonly left: readonly QuotaService[];
}

/** Who gets GPUs, decided for all services of all quotas. */
export function lowerQuotas(observed: ObservedQuotas): LoweredQuotas {
  const labels = new Map(observed.namespaces.map((one) => [one.name, one.labels]));
  const gpus = new Map(observed.models.map(({ key, gpu }) => [key, gpu]));
  const claims = observed.services.flatMap((service): QuotaClaim[] => {
    const { namespace, spec } = service;
    const scopes = observed.quotas.filter(({ scope }) => covers(scope, namespace, labels.get(namespace)));
    if (scopes.length === 0) return [];
    const gpu = gpus.get(`${namespace}/${service.modelRef}`);
    const wanted = gpuDemandOf({ spec, gpu, deviceBytes: observed.deviceBytes });
    return [
      {
        key: keyOf(service),
        limits: scopes.map(({ scope }) => scope.key),
        wanted,
        held: heldOf(service, wanted),
        priority: priorityValueOf(spec.priority),
        createdAt: service.createdAt,
      },
    ];
  });
  const covered = new Set(claims.map(({ key }) => key));
  const left = observed.services.filter((one) => one.granted !== undefined && !covered.has(keyOf(one)));
  return { ...grantQuota(claims, observed.quotas.map(limitOf)), left };
}

export const keyOf = ({ namespace, name }: Pick<QuotaService, "namespace" | "name">): string => `${namespace}/${name}`;

/** What ran before there was a quota, and what Kueue has admitted, has what it needs. */
function heldOf({ granted, isRunning, isQueued }: QuotaService, wanted: QuotaClaim["wanted"]): QuotaClaim["held"] {
  if (isQueued || (granted === undefined && isRunning)) return wanted;
  if (granted === undefined || (granted.gpus === 0 && granted.waiting !== undefined)) return {};
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
