import { type Sources, s3Keys } from "./sources.ts";

/** Where the images of an installation are. */
export const imageOf = (registry: string, program: string): string => `${registry}/trivium-${program}:0.1.0`;

/** Values of the chart for images that are on the node already and for sources within the cluster. */
export function valuesFor(registry: string, { hub, s3, hosts }: Sources): object {
  const engine = imageOf(registry, "engine");
  const allowed = `--allowed-remote-hosts=${hosts.join(",")}`;
  const hubVariable = { name: "HF_ENDPOINT", value: hub };
  return {
    image: { registry, pullPolicy: "Never" },
    operator: {
      args: [
        `--aim-base-image=${engine}`,
        "--aim-base-args=--model {model} --alias {name} --host 0.0.0.0 --port {port} --ctx-size 512",
        `--runtime-images=llamacpp=${engine}`,
        allowed,
      ],
      env: [hubVariable],
    },
    gateway: { apiKeysSecret: "gateway-keys" },
    nodeAgent: { args: [allowed], env: [hubVariable, { name: "AWS_ENDPOINT_URL", value: s3 }] },
  };
}

/** One service of each API with the demo model: from the hub by an init container, from S3 by a Job, from both by the node agent. */
export const servicesFor = (registry: string, sources: Sources): object[] => [
  ...llmkubeService(sources),
  aimService(sources),
  ...omeServices(registry),
];

/** How each of them says that it serves. */
export const readyStates = [
  ["inferenceservices.inference.llmkube.dev/llmkube-demo", "condition=Available"],
  ["aimservice/aim-demo", "jsonpath={.status.status}=Running"],
  ["inferenceservices.ome.io/ome-from-s3", "condition=Ready"],
  ["inferenceservices.ome.io/ome-from-hub", "condition=Ready"],
] as const;

export const llmkubeService = ({ hub }: Sources, name = "llmkube-demo"): object[] => [
  {
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "Model",
    metadata: { name },
    spec: { source: "hf://org/repo", quantization: "Q8_0" },
  },
  {
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "InferenceService",
    metadata: { name },
    spec: {
      modelRef: name,
      contextSize: 512,
      resources: { cpu: "100m" },
      env: [{ name: "HF_ENDPOINT", value: hub }],
    },
  },
];

/** By which downloads reach the S3 server of the cluster. */
export const s3Environment = ({ s3 }: Sources): { name: string; value: string }[] => [
  { name: "AWS_ENDPOINT_URL", value: s3 },
  { name: "AWS_ACCESS_KEY_ID", value: s3Keys.accessKeyId },
  { name: "AWS_SECRET_ACCESS_KEY", value: s3Keys.secretAccessKey },
];

export const aimService = (sources: Sources): object => ({
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMService",
  metadata: { name: "aim-demo" },
  spec: {
    model: {
      custom: {
        modelSources: [
          {
            modelId: "trivium/demo",
            sourceUri: "s3://models/demo",
            size: "10Mi",
            env: s3Environment(sources),
          },
        ],
        hardware: { cpu: { requests: "100m" } },
      },
    },
  },
});

const omeServices = (registry: string): object[] => [
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s3-keys", namespace: "ome" },
    stringData: { AWS_ACCESS_KEY_ID: s3Keys.accessKeyId, AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey },
  },
  omeModel("from-s3", { storageUri: "s3://models/demo", key: "s3-keys" }),
  omeModel("from-hub", { storageUri: "hf://org/repo" }),
  omeRuntime(registry),
  ...["from-s3", "from-hub"].map(omeService),
];

const omeService = (name: string): object => ({
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: `ome-${name}` },
  spec: { model: { name }, engine: { minReplicas: 1, maxReplicas: 1 } },
});

/** A service whose model the node agent downloads from an OCI registry. */
export const omeFromRegistry = (storageUri: string): object[] => [
  omeModel("from-registry", { storageUri }),
  omeService("from-registry"),
];

export const omeModel = (name: string, storage: object): object => ({
  apiVersion: "ome.io/v1beta1",
  kind: "ClusterBaseModel",
  metadata: { name },
  spec: { storage },
});

export const omeRuntime = (registry: string): object => ({
  apiVersion: "ome.io/v1beta1",
  kind: "ClusterServingRuntime",
  metadata: { name: "llama-cpp" },
  spec: {
    supportedModelFormats: [
      { modelFormat: { name: "gguf" }, modelFramework: { name: "llama.cpp" }, autoSelect: true, priority: 1 },
    ],
    protocolVersions: ["openAI"],
    engineConfig: {
      runner: {
        name: "ome-container",
        image: imageOf(registry, "engine"),
        args: [
          ..."--model $(MODEL_PATH) --alias $(SERVED_MODEL_NAME) --host 0.0.0.0 --port 8080 --ctx-size 512".split(" "),
        ],
        ports: [{ name: "http", containerPort: 8080 }],
        resources: { requests: { cpu: "100m" } },
        readinessProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 1 },
      },
    },
  },
});
