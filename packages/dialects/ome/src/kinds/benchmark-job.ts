import { defineKind, k8s } from "@trivium/kube";
import { as, int32, list, listMap, map, obj, oneOf, opt, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { storage } from "./storage.ts";

const endpoint = obj(
  "Endpoint to benchmark: an InferenceService of this cluster, or any URL",
  {
    inferenceService: opt(
      obj("InferenceService to benchmark", {
        name: str("Name of the InferenceService"),
        namespace: str(
          "Namespace of the InferenceService; if it is not the namespace of the job, you need permission to read InferenceServices there",
        ),
      }),
    ),
    endpoint: opt(
      obj("URL to benchmark", {
        url: str("URL of the endpoint, starting with http:// or https://"),
        apiFormat: oneOf("API that the endpoint serves", ["openai", "oci-cohere", "cohere"]),
        modelName: opt(str("Name of the model at the endpoint")),
      }),
    ),
  },
  {
    rules: [
      {
        rule: "has(self.inferenceService) != has(self.endpoint)",
        message: "set exactly one of inferenceService and endpoint",
      },
    ],
  },
);

const podOverride = obj("Overrides for the pod that runs the benchmark", {
  image: opt(str("Container image of the benchmark")),
  env: opt(listMap("Environment variables of the container", ["name"], k8s.EnvVar)),
  envFrom: opt(list("Sources of additional environment variables", k8s.EnvFromSource)),
  volumeMounts: opt(list("Volume mounts of the container", k8s.VolumeMount)),
  resources: opt(as(k8s.ResourceRequirements, "Resource requests and limits of the container")),
  tolerations: opt(list("Tolerations of the pod", k8s.Toleration)),
  nodeSelector: opt(map("Labels that the node must have", str("Value of the label"))),
  affinity: opt(as(k8s.Affinity, "Affinity and anti-affinity rules of the pod")),
  volumes: opt(listMap("Volumes of the pod", ["name"], k8s.Volume)),
});

const spec = obj("What to benchmark, with which requests, and where to store the results", {
  huggingFaceSecretReference: opt(
    obj("Secret with a Hugging Face token, in the job's namespace", { name: str("Name of the Secret") }),
  ),
  endpoint,
  serviceMetadata: opt(
    obj("Description of the benchmarked service, recorded with the results", {
      engine: oneOf("Inference engine of the service", ["vLLM", "SGLang", "TGI"]),
      version: str("Version of the engine"),
      gpuType: oneOf("GPU model of the service", ["H100", "A100", "MI300", "A10"]),
      gpuCount: int32("Number of GPUs"),
    }),
  ),
  task: oneOf("Type of the requests", ["text-to-text", "image-to-text", "text-to-embeddings", "image-to-embeddings"]),
  trafficScenarios: opt(
    list("Traffic scenarios to run; defaults to those of the benchmark tool", str("Scenario, such as D(100,100)"), {
      "x-kubernetes-list-type": "set",
    }),
  ),
  numConcurrency: opt(
    list("Concurrency levels to run; defaults to those of the benchmark tool", int32("Number of concurrent requests"), {
      "x-kubernetes-list-type": "set",
    }),
  ),
  maxTimePerIteration: int32("Maximum duration of one scenario at one concurrency level, in minutes"),
  maxRequestsPerIteration: int32("Maximum number of requests for one scenario at one concurrency level"),
  additionalRequestParams: opt(map("Parameters to add to each request", str("Value of the parameter"))),
  dataset: opt(storage("Dataset to take requests from; required for tasks whose input is not text")),
  outputLocation: storage("Storage for the results"),
  resultFolderName: opt(str("Folder for the results; generated if not set")),
  podOverride: opt(podOverride),
});

const status = obj("Observed state of the benchmark", {
  state: opt(oneOf("State of the benchmark", ["Pending", "Running", "Completed", "Failed"])),
  startTime: opt(time("Time when the benchmark started")),
  completionTime: opt(time("Time when the benchmark completed or failed")),
  lastReconcileTime: opt(time("Time of the last reconciliation")),
  failureMessage: opt(str("Cause of the failure")),
  details: opt(str("Additional information")),
});

export const BenchmarkJob = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "BenchmarkJob",
  plural: "benchmarkjobs",
  description: "Measures throughput and latency of a model endpoint under different loads",
  columns: [
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Status", type: "string", jsonPath: ".status.state" },
  ],
  spec,
  status,
});
