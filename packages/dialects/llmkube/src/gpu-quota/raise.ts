import { formatMemory, type QuotaFault, type QuotaGrant } from "@trivium/engines";
import { bareKind } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { deepEqual, formatTime, type Instant } from "@trivium/std";
import { GPUQuota } from "../kinds/gpu-quota.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { keyOf, type LoweredQuotas } from "./lower.ts";
import type { ObservedQuota, ObservedQuotas, QuotaService } from "./observe.ts";

type Granted = NonNullable<QuotaService["granted"]>;

/** What changed of the status of services and quotas. */
export function raiseQuotas(observed: ObservedQuotas, lowered: LoweredQuotas, now: Instant): Patch[] {
  const services = new Map(observed.services.map((one) => [keyOf(one), one]));
  const decided = lowered.grants.flatMap((grant): Patch[] => {
    const service = services.get(grant.claim.key);
    return service === undefined ? [] : patchService(service, grantedOf(grant, service));
  });
  return [
    ...decided,
    ...lowered.left.flatMap((service) => patchService(service, undefined)),
    ...observed.quotas.flatMap((quota) => patchQuota(quota, { services, lowered, now })),
  ];
}

function patchService({ namespace, name, granted }: QuotaService, next: Granted | undefined): Patch[] {
  if (deepEqual(granted, next)) return [];
  const fields = next && { ...next, memoryBytes: next.memoryBytes ?? null, waiting: next.waiting ?? null };
  const status = { gpuQuota: fields ?? null };
  return [{ patch: "status", kind: bareKind(InferenceService), ref: { namespace, name }, status }];
}

/** One that waits keeps what it has. */
function grantedOf(grant: QuotaGrant, { generation, granted }: QuotaService): Granted {
  const { wanted, held } = grant.claim;
  const amounts = grant.is === "granted" ? wanted : held;
  const { gpus = 0, bytes } = amounts;
  const isKept = grant.is === "waiting" && granted !== undefined;
  const memoryBytes = isKept ? granted.memoryBytes : bytes;
  return {
    gpus,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    observedGeneration: generation,
    ...(grant.is === "waiting" ? { waiting: describeFault(grant) } : {}),
  };
}

function describeFault({ claim, limit, fault }: Extract<QuotaGrant, { is: "waiting" }>): string {
  return `GPUQuota ${limit} ${describe(fault, claim.wanted)}`;
}

function describe(fault: QuotaFault, wanted: Readonly<Record<string, number>>): string {
  switch (fault.is) {
    case "priority":
      return "requires a higher priority; set spec.priority, or lower spec.minPriority of the quota";
    case "unknown":
      return "limits GPU memory, and the GPU memory of this service is unknown; set spec.resources.gpuSharing.memoryLimitGiB, or label the nodes with the memory of their GPUs";
    case "exceeded": {
      const format = fault.resource === "gpus" ? (count: number) => `${count} GPUs` : formatMemory;
      const needed = format(wanted[fault.resource] ?? 0);
      return `allows ${format(fault.limit)}, of which ${format(fault.used)} are in use; this service requires ${needed}. Reduce or delete services, or raise the quota`;
    }
  }
}

interface QuotaContext {
  readonly services: ReadonlyMap<string, QuotaService>;
  readonly lowered: LoweredQuotas;
  readonly now: Instant;
}

function patchQuota({ scope, namespace, name, status }: ObservedQuota, context: QuotaContext): Patch[] {
  const { services, lowered, now } = context;
  const { gpus = 0, bytes = 0 } = lowered.used.get(scope.key) ?? {};
  const denied = lowered.grants.filter((grant) => grant.is === "waiting" && grant.limit === scope.key);
  const fresh = denied.filter(({ claim }) => services.get(claim.key)?.granted?.waiting === undefined);
  const { admissionDenials = 0, lastDenial } = status;
  const next = {
    usedGPUCount: gpus,
    // What users write into Models must not lead to a status that no API server stores.
    usedVRAMBytes: Math.min(bytes, Number.MAX_SAFE_INTEGER),
    admissionDenials: admissionDenials + fresh.length,
    ...(fresh.length > 0 ? { lastDenial: formatTime(now) } : lastDenial === undefined ? {} : { lastDenial }),
  };
  if (deepEqual(status, next)) return [];
  return [{ patch: "status", kind: bareKind(GPUQuota), ref: { namespace, name }, status: next }];
}
