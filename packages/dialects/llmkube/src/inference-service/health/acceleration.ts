import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedServingPod } from "../observed/serving-pod.ts";

type Acceleration = NonNullable<NonNullable<InferenceService["status"]>["acceleration"]>;

const offloaded = /offloaded (\d{1,6})\/(\d{1,6}) layers to GPU/;
const device = /(?:using device|ggml_cuda_init: found|load_tensors:)\s+((?:CUDA|ROCm|Vulkan|SYCL|Metal)\w*)/;

/** What engines said of their GPU when they started: the worst of them, since one slow replica is what users meet. */
export function accelerationOf(pods: readonly ObservedServingPod[]): Acceleration | undefined {
  const reports = pods.flatMap(({ startLog }) => (startLog?.is === "known" ? (parsed(startLog.value) ?? []) : []));
  return reports.sort((a, b) => (a.layersOffloaded ?? 0) - (b.layersOffloaded ?? 0))[0];
}

function parsed(log: string): Acceleration | undefined {
  const layers = offloaded.exec(log);
  if (layers === null) return undefined;
  const name = device.exec(log)?.[1];
  return {
    ...(name === undefined ? {} : { device: name }),
    layersOffloaded: Number(layers[1]),
    layersTotal: Number(layers[2]),
  };
}
