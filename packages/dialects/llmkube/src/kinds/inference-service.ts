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

const InferenceServiceSpec = obj("Desired state: the Model, the engine that serves it, and the number of replicas", {
  modelRef: str("Model to serve, in the same namespace"),
  runtime: opt(
    oneOf(
      "Engine that serves the model. `omlx`, `ollama`, `mlx-server` and `vllm-swift` run under the Metal agent on a Mac; `generic` runs your own image",
      [...CLUSTER_ENGINES, ...METAL_ENGINES],
      { default: "llamacpp" },
    ),
  ),
  mode: opt(
    oneOf(
      "Serving mode: `chat`, `embedding` or `rerank`. If not set, it is derived from the arguments and `endpoint.path`",
      ["chat", "embedding", "rerank"],
    ),
  ),
  ...scaling,
  endpoint: opt(Endpoint),
  containerPort: opt(
    int32("Port that the engine listens on; defaults to `endpoint.port`, or else to the default port of the engine", {
      minimum: 1,
      maximum: 65535,
    }),
  ),
  bindAddress: opt(str("Address that the engine listens on", { default: "::" })),
  slo: opt(Slo),
  skipModelInit: opt(
    bool("Starts the engine without downloading the weights first; the engine downloads them itself", {
      default: false,
    }),
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
  description: "Serves a Model through an OpenAI-compatible API",
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
