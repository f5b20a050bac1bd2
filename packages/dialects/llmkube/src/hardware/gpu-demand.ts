import { type Amounts, canaryReplicas } from "@trivium/engines";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { engineOf } from "../inference-service/pod/engines/index.ts";
import { type ScaledSpec, scaleOf } from "../inference-service/scaling/lower-scaling.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Model } from "../kinds/model.ts";
import { countGpus } from "./gpu-plan.ts";

/** What of a service and of its Model decides how many GPUs it uses. */
export interface GpuDemandInput {
  readonly spec: ScaledSpec & Pick<InferenceService["spec"], "resources" | "runtime">;
  /** The share of requests for a canary, whose replicas are extra. */
  readonly canaryPercent: number | undefined;
  /** Of the Model; nothing while there is none. */
  readonly gpu: ModelGpu | undefined;
  /** Memory of one GPU of this cluster, where its nodes agree. */
  readonly deviceBytes: number | undefined;
}

export type ModelGpu = NonNullable<NonNullable<Model["spec"]["hardware"]>["gpu"]>;

const GiB = 1024 ** 3;

/** What a service uses at most, all replicas together: an autoscaler asks nobody. Memory that is not known is left out. */
export function gpuDemandOf({ spec, canaryPercent, gpu, deviceBytes }: GpuDemandInput): Amounts {
  const engine = engineOf(spec.runtime);
  const max = engine === undefined ? 0 : scaleOf(spec, engine).max;
  const replicas = max + canaryReplicas(max, canaryPercent);
  const gpus = countGpus(gpu, spec.resources?.gpu) * replicas;
  const bytes = gpus === 0 ? 0 : bytesOf(spec.resources?.gpuSharing, { gpu, deviceBytes, gpus, replicas });
  // More than a status can hold is not memory that anyone has.
  return { gpus, ...(bytes === undefined || bytes > Number.MAX_SAFE_INTEGER ? {} : { bytes }) };
}

type Sharing = NonNullable<InferenceService["spec"]["resources"]>["gpuSharing"];

interface Counted extends Pick<GpuDemandInput, "gpu" | "deviceBytes"> {
  readonly gpus: number;
  readonly replicas: number;
}

function bytesOf(sharing: Sharing, { gpu, deviceBytes, gpus, replicas }: Counted): number | undefined {
  switch (sharing?.mode ?? "exclusive") {
    case "partitioned": {
      const gibibytes = Number(/^\d+g\.(\d+)gb$/.exec(sharing?.profile ?? "")?.[1]);
      return gibibytes > 0 ? gibibytes * GiB * replicas : undefined;
    }
    case "shared": {
      const bytes = (sharing?.memoryLimitGiB ?? 0) * GiB || memoryOf(gpu);
      return bytes > 0 ? bytes * replicas : undefined;
    }
    default:
      return deviceBytes === undefined ? undefined : deviceBytes * gpus;
  }
}

function memoryOf(gpu: ModelGpu | undefined): number {
  const quantity = parseQuantity(gpu?.memory ?? "");
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}
