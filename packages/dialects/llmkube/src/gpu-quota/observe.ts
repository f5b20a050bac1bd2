import { nodeHardware, parseGpuNode, parseServingAnnotations } from "@trivium/engines";
import { type Kind, Namespace, Node } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { known } from "@trivium/std";
import { resolveModel } from "../inference-service/selection/ready-model.ts";
import { GPUQuota } from "../kinds/gpu-quota.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { Model } from "../kinds/model.ts";
import { observeWorkloads, type QuotaWorkload, workloadReads } from "./observed/workloads.ts";
import { type QuotaScope, scopeOf } from "./scope/quota-scope.ts";

type ServiceStatus = NonNullable<InferenceService["status"]>;

export interface ObservedQuota {
  readonly scope: QuotaScope;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Pick<GPUQuota["spec"], "gpuCount" | "minPriority" | "vramBytes">;
  readonly status: NonNullable<GPUQuota["status"]>;
}

/** What of a service counts. */
export interface QuotaService {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly createdAt: string;
  readonly spec: InferenceService["spec"];
  readonly canaryPercent?: number | undefined;
  readonly granted?: NonNullable<ServiceStatus["gpuQuota"]>;
}

export interface QuotaModel {
  readonly key: string;
  readonly isReady: boolean;
  readonly spec: Model["spec"];
}

export interface ObservedQuotas {
  readonly quotas: readonly ObservedQuota[];
  readonly services: readonly QuotaService[];
  readonly models: readonly QuotaModel[];
  readonly workloads: readonly QuotaWorkload[];
  readonly namespaces: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];
  /** Memory of one GPU, the same on all nodes. */
  readonly deviceBytes?: number;
}

export const quotaReads = [
  GPUQuota,
  InferenceService,
  Model,
  Namespace,
  Node,
  ...workloadReads,
] as const satisfies readonly Kind[];
type QuotaReader = Reader<(typeof quotaReads)[number]>;

export function observeQuotas(reader: QuotaReader): ObservedQuotas {
  const quotas = reader.listParts(GPUQuota, {}, quotaPart);
  if (quotas.length === 0)
    return {
      quotas,
      services: reader.listParts(InferenceService, {}, decidedPart),
      models: [],
      workloads: [],
      namespaces: [],
    };
  return {
    quotas,
    services: reader.listParts(InferenceService, {}, servicePart),
    models: reader.listParts(Model, {}, modelPart),
    workloads: observeWorkloads(reader),
    namespaces: reader.listParts(Namespace, {}, namespacePart),
    ...observeDevices(reader),
  };
}

function observeDevices(reader: QuotaReader): Pick<ObservedQuotas, "deviceBytes"> {
  const sizes = reader.listParts(Node, {}, nodeHardware).flatMap((node) => parseGpuNode(node)?.gpuBytes ?? []);
  const [deviceBytes, ...others] = new Set(sizes);
  return deviceBytes === undefined || others.length > 0 ? {} : { deviceBytes };
}

const quotaPart: Part<GPUQuota, ObservedQuota | undefined> = {
  name: "quota",
  of: (quota) => {
    const scope = scopeOf(quota);
    if (scope === undefined) return undefined;
    const { metadata, spec, status = {} } = quota;
    const { gpuCount, minPriority, vramBytes } = spec;
    const limits = {
      gpuCount,
      ...(minPriority === undefined ? {} : { minPriority }),
      ...(vramBytes === undefined ? {} : { vramBytes }),
    };
    return { scope, namespace: metadata.namespace ?? "", name: metadata.name ?? "", spec: limits, status };
  },
};

const servicePart: Part<InferenceService, QuotaService | undefined> = { name: "service of a quota", of: serviceOf };

/** One that is being deleted gets nothing more; what it leaves behind counts by its Deployments. */
function serviceOf({ metadata, spec, status }: InferenceService): QuotaService | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const { canaryPercent } = parseServingAnnotations(metadata.annotations);
  const granted = status?.gpuQuota ?? undefined;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp ?? "",
    spec,
    ...(canaryPercent === undefined ? {} : { canaryPercent }),
    ...(granted === undefined ? {} : { granted }),
  };
}

/** Where there are no quotas, only those matter that had one. */
const decidedPart: Part<InferenceService, QuotaService | undefined> = {
  name: "service with a decision of a quota",
  of: (service) => (service.status?.gpuQuota ? serviceOf(service) : undefined),
};

const modelPart: Part<Model, QuotaModel> = {
  name: "GPUs of a Model",
  of: (model) => {
    const { metadata, spec } = model;
    const { name = "" } = metadata;
    const isReady = resolveModel(known(model), { name, field: "spec.modelRef" }).is === "ready";
    return { key: `${metadata.namespace}/${name}`, isReady, spec };
  },
};

const namespacePart: Part<Namespace, ObservedQuotas["namespaces"][number]> = {
  name: "labels of a namespace",
  of: ({ metadata: { name = "", labels = {} } }) => ({ name, labels }),
};
