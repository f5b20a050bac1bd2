/** A first manifest of each API, to plan and to change. All serve the same small model on the CPU. */
export const examples: readonly { readonly api: string; readonly text: string }[] = [
  {
    api: "aim",
    text: `apiVersion: aim.silogen.ai/v1alpha1
kind: AIMService
metadata:
  name: example-aim
spec:
  model:
    custom:
      modelSources:
        - modelId: huggingfacetb/smollm2-360m
          sourceUri: hf://HuggingFaceTB/SmolLM2-360M-Instruct-GGUF/smollm2-360m-instruct-q8_0.gguf
      hardware:
        cpu:
          requests: 500m
`,
  },
  {
    api: "ome",
    text: `apiVersion: ome.io/v1beta1
kind: BaseModel
metadata:
  name: example-ome
spec:
  modelFormat:
    name: gguf
  modelFramework:
    name: llama.cpp
  storage:
    storageUri: hf://HuggingFaceTB/SmolLM2-360M-Instruct-GGUF
---
apiVersion: ome.io/v1beta1
kind: ServingRuntime
metadata:
  name: example-ome
spec:
  supportedModelFormats:
    - modelFormat:
        name: gguf
      modelFramework:
        name: llama.cpp
  protocolVersions: [openAI]
  engineConfig:
    runner:
      name: ome-container
      image: ghcr.io/ggml-org/llama.cpp:server
      args:
        - --model
        - $(MODEL_PATH)/smollm2-360m-instruct-q8_0.gguf
        - --alias
        - $(SERVED_MODEL_NAME)
        - --host
        - 0.0.0.0
        - --port
        - "8080"
        - --ctx-size
        - "4096"
      ports:
        - name: http
          containerPort: 8080
      readinessProbe:
        httpGet:
          path: /health
          port: http
---
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata:
  name: example-ome
spec:
  model:
    kind: BaseModel
    name: example-ome
  runtime:
    name: example-ome
`,
  },
  {
    api: "llmkube",
    text: `apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata:
  name: example-llmkube
spec:
  source: https://huggingface.co/HuggingFaceTB/SmolLM2-360M-Instruct-GGUF/resolve/main/smollm2-360m-instruct-q8_0.gguf
  format: gguf
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata:
  name: example-llmkube
spec:
  modelRef: example-llmkube
  replicas: 1
  contextSize: 4096
`,
  },
];
