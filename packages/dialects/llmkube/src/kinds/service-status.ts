import { bool, int32, int64, obj, oneOf, opt, str, time } from "@trivium/schema";
import { conditions } from "./conditions.ts";
import { Download } from "./download.ts";
import { Selection } from "./selection.ts";

const Gateway = obj("Observed state of the gateway route", {
  routeReady: opt(bool("Whether the gateway has accepted the route")),
  modelName: opt(str("Model name to use at the gateway")),
  endpoint: opt(str("URL at the gateway")),
  authEnabled: opt(bool("Whether the gateway requires authentication")),
});

const Acceleration = obj("GPU use as reported by the engine", {
  device: opt(str("Device in use, as reported by the engine")),
  layersOffloaded: opt(int32("Number of layers on the GPU")),
  layersTotal: opt(int32("Number of layers of the model")),
});

const GrantedGpus = obj("GPUs that the GPUQuotas of the namespace grant", {
  gpus: int32("Number of GPUs that are granted, of all replicas"),
  memoryBytes: opt(int64("GPU memory that is granted, in bytes, where it is known")),
  observedGeneration: int64("Generation of the service that was decided"),
  waiting: opt(str("Why more than that is not granted")),
});

export const ServiceStatus = obj("Observed state of the service", {
  phase: opt(
    oneOf("Phase of the service", [
      "Pending",
      "Creating",
      "Progressing",
      "Ready",
      "WaitingForGPU",
      "Stopped",
      "Suspended",
      "Failed",
    ]),
  ),
  mode: opt(str("Effective serving mode")),
  replicas: opt(int32("Number of pods")),
  readyReplicas: opt(int32("Number of ready pods")),
  desiredReplicas: opt(int32("Desired number of pods")),
  endpoint: opt(str("URL inside the cluster, including the path")),
  modelReady: opt(bool("Whether the Model is `Ready`")),
  lastUpdated: opt(time("Time when this status last changed")),
  schedulingStatus: opt(str("Reason why pods are not scheduled, such as `InsufficientGPU`")),
  schedulingMessage: opt(str("Explanation of `schedulingStatus`")),
  queuePosition: opt(int32("Position in the queue of services that wait for GPUs; 1 is next")),
  gpuQuota: opt(GrantedGpus),
  waitingFor: opt(str("Missing resource and quantity, such as `nvidia.com/gpu: 2`")),
  effectivePriority: opt(int32("Numeric priority of the pods")),
  rolloutTemplate: opt(str("Pod template that no longer waits for idle pods, because the time for that is over")),
  download: opt(Download),
  gateway: opt(Gateway),
  acceleration: opt(Acceleration),
  selection: opt(Selection),
  conditions: opt(
    conditions(
      "Conditions of the service, one for each type; `Available` reports whether the service can process requests",
    ),
  ),
});
