import type { SimpleService, WrittenService } from "@trivium/domain";
import { apiVersionOf } from "@trivium/kube";
import { BaseModel } from "./kinds/base-model.ts";
import { InferenceService } from "./kinds/inference-service.ts";
import { ServingRuntime } from "./kinds/serving-runtime.ts";

/** A BaseModel, a ServingRuntime for its format, and an InferenceService of the same name. */
export function writeService(service: SimpleService): WrittenService {
  const { name, namespace, labels, source, files } = service;
  if (source.startsWith("https://") || source.startsWith("http://"))
    return { is: "impossible", why: "OME does not download from web addresses; use --as llmkube" };
  if (files.length > 0)
    return { is: "impossible", why: "OME downloads whole repositories; use --as llmkube for files of one" };
  const metadata = { name, namespace, labels };
  const storageUri = source.replace(/^file:\/\//, "local://");
  return {
    is: "written",
    objects: [
      { apiVersion: apiVersionOf(BaseModel), kind: BaseModel.kind, metadata, spec: { storage: { storageUri } } },
      { apiVersion: apiVersionOf(ServingRuntime), kind: ServingRuntime.kind, metadata, spec: runtimeFor(service) },
      {
        apiVersion: apiVersionOf(InferenceService),
        kind: InferenceService.kind,
        metadata,
        spec: {
          model: { name, kind: BaseModel.kind },
          runtime: { name, kind: ServingRuntime.kind },
          engine: oneReplica,
        },
      },
    ],
  };
}

const oneReplica = { minReplicas: 1, maxReplicas: 1 };

/** llama.cpp serves GGUF files wherever they come from. */
function runtimeFor({ contextTokens }: SimpleService) {
  const context = contextTokens === undefined ? [] : ["--ctx-size", String(contextTokens)];
  const address = ["--host", "0.0.0.0", "--port", "8080"];
  return {
    supportedModelFormats: [{ modelFormat: { name: "gguf" }, modelFramework: { name: "llama.cpp" } }],
    protocolVersions: ["openAI"],
    engineConfig: {
      runner: {
        name: "ome-container",
        image: "ghcr.io/ggml-org/llama.cpp:server",
        args: ["--model", "$(MODEL_PATH)", "--alias", "$(SERVED_MODEL_NAME)", "--jinja", ...address, ...context],
        ports: [{ name: "http", containerPort: 8080 }],
        resources: { requests: { cpu: "250m" } },
        readinessProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 1 },
      },
    },
  };
}
