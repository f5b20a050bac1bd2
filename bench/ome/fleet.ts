import type { ClusterBaseModel, ClusterServingRuntime, InferenceService } from "@trivium/ome";

const apiVersion = "ome.io/v1beta1";
const architectures = 20;

const framework = (at: number) => ({ name: "transformers", version: `4.${at % 55}.0` });
export const modelOf = (at: number): ClusterBaseModel => ({
  apiVersion,
  kind: "ClusterBaseModel",
  metadata: { name: `model-${at}` },
  spec: {
    modelFormat: { name: "safetensors", version: "1.0.0" },
    modelFramework: framework(at),
    modelArchitecture: `Arch${at % architectures}ForCausalLM`,
    modelParameterSize: `${1 + (at % 60)}B`,
    storage: { storageUri: `hf://org/model-${at}`, path: `/mnt/data/models/model-${at}` },
  },
});
export const runtimeOf = (at: number): ClusterServingRuntime => ({
  apiVersion,
  kind: "ClusterServingRuntime",
  metadata: { name: `runtime-${at}` },
  spec: {
    supportedModelFormats: [0, 1, 2].map((step) => ({
      modelFormat: { name: "safetensors", version: "1.0.0" },
      modelFramework: { name: "transformers", version: "4.60.0", operator: "GreaterThanOrEqual" as const },
      modelArchitecture: `Arch${(at + step) % architectures}ForCausalLM`,
      autoSelect: true,
      priority: 1 + step,
    })),
    engineConfig: {
      runner: { name: "ome-container", image: "example.com/serve", ports: [{ containerPort: 8080 }] },
    },
  },
});
export const serviceOf = (at: number, models: number): InferenceService => ({
  apiVersion,
  kind: "InferenceService",
  metadata: { name: `service-${at}`, namespace: "bench" },
  spec: { model: { name: `model-${at % models}` }, engine: { minReplicas: 1 } },
});
