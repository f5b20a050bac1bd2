import type { JsonObject } from "@trivium/std";
import type { SpecCase } from "./cases.ts";

const modelRef = "m";
const defaults = {
  runtime: "llamacpp",
  replicas: 1,
  suspend: false,
  priority: "normal",
  evictionProtection: false,
  bindAddress: "::",
  skipModelInit: false,
};

const stored = (title: string, fields: JsonObject): SpecCase => ({ title, spec: { modelRef, ...fields } });
const refused = (title: string, fields: JsonObject, at: string): SpecCase => ({
  title,
  spec: { modelRef, ...fields },
  refusedAt: [`spec.${at}`],
});

const draftTypes = ["draft", "draft-simple", "draft-eagle3", "draft-dflash", "draft-dspark"];
const selfTypes = [
  "none",
  "disabled",
  "mtp",
  "ngram-simple",
  "ngram-map-k",
  "ngram-map-k4v",
  "ngram-mod",
  "ngram-cache",
];
const speculative = (fields: JsonObject): JsonObject => ({ speculativeDecoding: fields });

export const inferenceServiceCases: readonly SpecCase[] = [
  { title: "modelRef is required", spec: {}, refusedAt: ["spec.modelRef"] },
  { title: "defaults of a minimal spec", spec: { modelRef }, storedAs: { modelRef, ...defaults } },
  {
    title: "defaults inside the objects that are written",
    spec: {
      modelRef,
      autoscaling: { maxReplicas: 2 },
      endpoint: {},
      modelCache: {},
      disruption: {},
      rolloutPolicy: {},
      slo: { objective: "99" },
      resources: { gpuSharing: {} },
      vllmConfig: { speculative: {} },
      sglangConfig: { speculative: {} },
    },
    storedAs: {
      modelRef,
      ...defaults,
      autoscaling: { maxReplicas: 2, minReplicas: 1 },
      endpoint: { port: 8080, path: "/v1/chat/completions", type: "ClusterIP" },
      modelCache: { persistence: "Cached" },
      disruption: { protectStartup: true, protectAlways: false },
      rolloutPolicy: { waitForIdle: false, idleTimeoutSeconds: 300, force: false },
      slo: { objective: "99", window: "28d", indicator: "availability" },
      resources: { gpuSharing: { mode: "exclusive" } },
      vllmConfig: { kvCacheDtype: "auto", speculative: { numSpeculativeTokens: 4 } },
      sglangConfig: { kvCacheDtype: "auto", speculative: { numDraftTokens: 4 } },
    },
  },
  ...[
    "llamacpp-router",
    "personaplex",
    "vllm",
    "tgi",
    "sglang",
    "generic",
    "omlx",
    "ollama",
    "mlx-server",
    "vllm-swift",
  ].map((runtime) => stored(`runtime ${runtime}`, { runtime })),
  refused("unknown runtime", { runtime: "triton" }, "runtime"),
  refused("unknown mode", { mode: "speech" }, "mode"),
  stored("stopped", { replicas: 0 }),
  refused("eleven replicas", { replicas: 11 }, "replicas"),
  refused("autoscaling without a ceiling", { autoscaling: {} }, "autoscaling.maxReplicas"),
  refused("autoscaling from zero", { autoscaling: { minReplicas: 0, maxReplicas: 1 } }, "autoscaling.minReplicas"),
  refused(
    "a metric of a third type",
    { autoscaling: { maxReplicas: 2, metrics: [{ type: "Object", name: "x" }] } },
    "autoscaling.metrics[0].type",
  ),
  refused("a port beyond the last", { endpoint: { port: 65536 } }, "endpoint.port"),
  refused("a node port below the range", { endpoint: { nodePort: 8080 } }, "endpoint.nodePort"),
  refused("a gateway without a reference", { endpoint: { gateway: { enabled: true } } }, "endpoint.gateway.gatewayRef"),

  stored("a claim for the cache", { modelCache: { claimName: "c" } }),
  refused("a claim for no cache", { modelCache: { claimName: "c", persistence: "Ephemeral" } }, "modelCache"),
  refused("a claim without a name", { modelCache: { claimName: "" } }, "modelCache.claimName"),

  stored("the least objective", { slo: { objective: "50" } }),
  stored("the highest objective", { slo: { objective: "99.999" } }),
  refused("an objective below the least", { slo: { objective: "49.9" } }, "slo.objective"),
  refused("an objective of 100", { slo: { objective: "100" } }, "slo.objective"),
  refused("an objective in words", { slo: { objective: "most" } }, "slo.objective"),
  refused("a window without a unit", { slo: { objective: "99", window: "28" } }, "slo.window"),
  refused("latency without a threshold", { slo: { objective: "99", indicator: "latency" } }, "slo"),
  stored("latency with a threshold", { slo: { objective: "99", indicator: "latency", latencyThreshold: "0.5" } }),

  stored("a MIG slice", { resources: { gpuSharing: { mode: "partitioned", profile: "1g.10gb" } } }),
  refused(
    "a slice without its profile",
    { resources: { gpuSharing: { mode: "partitioned" } } },
    "resources.gpuSharing",
  ),
  refused("a profile without a slice", { resources: { gpuSharing: { profile: "1g.10gb" } } }, "resources.gpuSharing"),
  refused(
    "a profile of another form",
    { resources: { gpuSharing: { mode: "partitioned", profile: "half" } } },
    "resources.gpuSharing.profile",
  ),
  stored("a shared GPU with a budget", { resources: { gpuSharing: { mode: "shared", memoryLimitGiB: 8 } } }),
  refused("a budget for a whole GPU", { resources: { gpuSharing: { memoryLimitGiB: 8 } } }, "resources.gpuSharing"),
  stored("scratch disk", { resources: { ephemeralStorage: "20Gi" } }),
  refused("scratch disk in words", { resources: { ephemeralStorage: "much" } }, "resources.ephemeralStorage"),

  refused("a context too short", { contextSize: 127 }, "contextSize"),
  refused("a scaling without a method", { ropeScaling: { factor: "2" } }, "ropeScaling.type"),
  refused("a factor below zero", { ropeScaling: { type: "yarn", factor: "-2" } }, "ropeScaling.factor"),
  refused("a cache format of another build", { cacheTypeK: "turbo3" }, "cacheTypeK"),
  stored("a custom cache format", { cacheTypeCustomK: "turbo3" }),
  refused("four bits", { turboQuantBits: 4 }, "turboQuantBits"),
  stored("six bits", { turboQuantBits: 6 }),

  ...[...draftTypes, "draft-mtp"].map((type) =>
    stored(`${type} with a draft model`, speculative({ type, draftModelRef: "d" })),
  ),
  ...draftTypes.map((type) => refused(`${type} without a draft`, speculative({ type }), "speculativeDecoding")),
  refused("an empty draft is none", speculative({ type: "draft", draftModelRef: "" }), "speculativeDecoding"),
  stored("draft-mtp without a draft", speculative({ type: "draft-mtp" })),
  ...selfTypes.map((type) => stored(`${type} without a draft`, speculative({ type }))),
  ...selfTypes.map((type) =>
    refused(`${type} with a draft`, speculative({ type, draftModel: "d.gguf" }), "speculativeDecoding"),
  ),
  refused(
    "two drafts",
    speculative({ type: "draft", draftModelRef: "d", draftModel: "d.gguf" }),
    "speculativeDecoding",
  ),
  refused("a draft without a type", speculative({ draftModel: "d.gguf" }), "speculativeDecoding.type"),
  refused("a probability above one", speculative({ type: "mtp", pMin: 1.5 }), "speculativeDecoding.pMin"),

  refused(
    "vLLM with all of the memory",
    { vllmConfig: { gpuMemoryUtilization: 1 } },
    "vllmConfig.gpuMemoryUtilization",
  ),
  refused(
    "a token without its key",
    { vllmConfig: { hfTokenSecretRef: { name: "s" } } },
    "vllmConfig.hfTokenSecretRef.key",
  ),
  refused(
    "an adapter without a path",
    { sglangConfig: { loraAdapters: [{ name: "a" }] } },
    "sglangConfig.loraAdapters[0].path",
  ),

  stored("types of Kubernetes", {
    env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    podSecurityContext: { supplementalGroups: [44, 993] },
    extraVolumes: [{ name: "tmp", emptyDir: { sizeLimit: "1Gi" } }],
    probeOverrides: { startup: { httpGet: { path: "/health", port: "http" }, failureThreshold: 180 } },
  }),
  stored("empty choices of a toleration, which Kubernetes reads as any effect and Equal", {
    tolerations: [{ key: "dedicated", operator: "", value: "models", effect: "" }],
  }),
  refused(
    "an effect that no taint has",
    { tolerations: [{ key: "dedicated", effect: "NoSchedul" }] },
    "tolerations[0].effect",
  ),
  refused("an environment variable without a name", { env: [{ value: "x" }] }, "env[0].name"),
  refused("a mount without a path", { extraVolumeMounts: [{ name: "tmp" }] }, "extraVolumeMounts[0].mountPath"),
  refused("a node selector of numbers", { nodeSelector: { zone: 1 } }, "nodeSelector.zone"),
];
