import { bool, int32, obj, oneOf, opt, str, time } from "@trivium/schema";
import { conditions } from "./conditions.ts";

const Gateway = obj("State of the publication on a gateway", {
  routeReady: opt(bool("Whether the gateway has taken the route")),
  modelName: opt(str("Model name to ask the gateway for")),
  endpoint: opt(str("Address at the gateway")),
  authEnabled: opt(bool("Whether the gateway asks for credentials")),
});

const Acceleration = obj("What the engine reported of its use of the GPU", {
  device: opt(str("Device in use, in the engine's words")),
  layersOffloaded: opt(int32("Layers on the GPU")),
  layersTotal: opt(int32("Layers of the model")),
});

export const ServiceStatus = obj("What has become of the service", {
  phase: opt(
    oneOf("State of the service in one word", [
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
  mode: opt(str("Serving mode that was settled on")),
  replicas: opt(int32("Pods there are")),
  readyReplicas: opt(int32("Pods that take requests")),
  desiredReplicas: opt(int32("Pods wanted")),
  endpoint: opt(str("Address inside the cluster, with the path")),
  modelReady: opt(bool("Whether the Model is `Ready`")),
  lastUpdated: opt(time("When this status last changed")),
  schedulingStatus: opt(str("Why pods do not run yet, as one word such as `InsufficientGPU`")),
  schedulingMessage: opt(str("The same in a sentence")),
  queuePosition: opt(int32("Place among the services that wait for GPUs; 1 is next")),
  waitingFor: opt(str("Resource and amount that is missing: `nvidia.com/gpu: 2`")),
  effectivePriority: opt(int32("Priority of the pods as a number")),
  gateway: opt(Gateway),
  acceleration: opt(Acceleration),
  conditions: opt(
    conditions("State of the service, one entry per type; `Available` tells whether requests are answered"),
  ),
});
