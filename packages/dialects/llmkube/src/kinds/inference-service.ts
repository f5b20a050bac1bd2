import { defineKind, type ObjectOf } from "@trivium/kube";
import { bool, int32, obj, oneOf, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { engineConfigs } from "./engine-configs.ts";
import { llamaCpp, omlx } from "./llama-cpp.ts";
import { Endpoint, Slo } from "./service-endpoint.ts";
import { pod } from "./service-pod.ts";
import { ModelCache, ServiceResources } from "./service-resources.ts";
import { scaling } from "./service-scaling.ts";
import { ServiceStatus } from "./service-status.ts";

const CLUSTER_ENGINES = ["llamacpp", "llamacpp-router", "personaplex", "vllm", "tgi", "sglang", "generic"] as const;
const METAL_ENGINES = ["omlx", "ollama", "mlx-server", "vllm-swift"] as const;

const InferenceServiceSpec = obj("Which Model to serve, with which engine, how many times", {
  modelRef: str("Model to serve, in the same namespace"),
  runtime: opt(
    oneOf(
      "Engine that serves the model. `omlx`, `ollama`, `mlx-server` and `vllm-swift` run under the Metal agent on a Mac; `generic` is your own image",
      [...CLUSTER_ENGINES, ...METAL_ENGINES],
      { default: "llamacpp" },
    ),
  ),
  mode: opt(
    oneOf("What is served: `chat`, `embedding` or `rerank`. When not set, the arguments and `endpoint.path` tell", [
      "chat",
      "embedding",
      "rerank",
    ]),
  ),
  ...scaling,
  endpoint: opt(Endpoint),
  containerPort: opt(
    int32("Port the engine listens on; when not set, `endpoint.port` or else the engine's own", {
      minimum: 1,
      maximum: 65535,
    }),
  ),
  bindAddress: opt(str("Address the engine listens on", { default: "::" })),
  slo: opt(Slo),
  skipModelInit: opt(
    bool("Starts the engine without fetching weights first; it then gets them itself", { default: false }),
  ),
  modelCache: opt(ModelCache),
  resources: opt(ServiceResources),
  ...pod,
  ...llamaCpp,
  ...omlx,
  ...engineConfigs,
});

export const InferenceService = defineKind({
  ...group,
  kind: "InferenceService",
  plural: "inferenceservices",
  shortNames: ["isvc"],
  scope: "Namespaced",
  description: "A Model that answers requests at an address, in the way of the OpenAI API",
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Model", type: "string", jsonPath: ".spec.modelRef" },
    { name: "Replicas", type: "string", jsonPath: ".status.readyReplicas" },
    { name: "Reason", type: "string", jsonPath: ".status.schedulingStatus" },
    { name: "Queue", type: "integer", jsonPath: ".status.queuePosition", priority: 1 },
    { name: "Priority", type: "string", jsonPath: ".spec.priority", priority: 1 },
    { name: "Endpoint", type: "string", jsonPath: ".status.endpoint" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec: InferenceServiceSpec,
  status: ServiceStatus,
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
});
export type InferenceService = ObjectOf<typeof InferenceService>;
