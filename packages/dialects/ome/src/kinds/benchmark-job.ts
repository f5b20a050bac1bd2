import { defineKind, k8s } from "@trivium/kube";
import { as, int32, list, listMap, map, obj, oneOf, opt, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { storage } from "./storage.ts";

const endpoint = obj(
  "What to measure: a service of this cluster, or any address",
  {
    inferenceService: opt(
      obj("An InferenceService", {
        name: str("Its name"),
        namespace: str("Its namespace; another one than the job's needs the permission to look there"),
      }),
    ),
    endpoint: opt(
      obj("An address", {
        url: str("The address, beginning with http:// or https://"),
        apiFormat: oneOf("The API it answers", ["openai", "oci-cohere", "cohere"]),
        modelName: opt(str("Name of the model there")),
      }),
    ),
  },
  {
    rules: [
      {
        rule: "has(self.inferenceService) != has(self.endpoint)",
        message: "say exactly one of inferenceService and endpoint",
      },
    ],
  },
);

const podOverride = obj("What to change of the pod that measures", {
  image: opt(str("Its image")),
  env: opt(listMap("Its variables", ["name"], k8s.EnvVar)),
  envFrom: opt(list("Where more variables come from", k8s.EnvFromSource)),
  volumeMounts: opt(list("Volumes it mounts", k8s.VolumeMount)),
  resources: opt(as(k8s.ResourceRequirements, "Its resources")),
  tolerations: opt(list("Taints it puts up with", k8s.Toleration)),
  nodeSelector: opt(map("Labels that its node must have", str("Value of the label"))),
  affinity: opt(as(k8s.Affinity, "Where it likes to be and where not")),
  volumes: opt(listMap("Its volumes", ["name"], k8s.Volume)),
});

const spec = obj("What to measure, with which requests, and where results go", {
  huggingFaceSecretReference: opt(
    obj("Secret with a Hugging Face token, in the job's namespace", { name: str("Name of the Secret") }),
  ),
  endpoint,
  serviceMetadata: opt(
    obj("What is being measured, noted with the results", {
      engine: oneOf("Its engine", ["vLLM", "SGLang", "TGI"]),
      version: str("Version of the engine"),
      gpuType: oneOf("Its GPUs", ["H100", "A100", "MI300", "A10"]),
      gpuCount: int32("Number of GPUs"),
    }),
  ),
  task: oneOf("What kind of requests", ["text-to-text", "image-to-text", "text-to-embeddings", "image-to-embeddings"]),
  trafficScenarios: opt(
    list("Shapes of requests to try; the tool's own choice when left out", str("A scenario, such as D(100,100)"), {
      "x-kubernetes-list-type": "set",
    }),
  ),
  numConcurrency: opt(
    list("Numbers of parallel requests to try; the tool's own choice when left out", int32("Parallel requests"), {
      "x-kubernetes-list-type": "set",
    }),
  ),
  maxTimePerIteration: int32("Longest time for one scenario at one concurrency, in minutes"),
  maxRequestsPerIteration: int32("Most requests for one scenario at one concurrency"),
  additionalRequestParams: opt(map("Parameters to add to each request", str("Value of the parameter"))),
  dataset: opt(storage("Requests to send; needed for tasks that do not begin with text")),
  outputLocation: storage("Where results go"),
  resultFolderName: opt(str("Folder for the results; made up when left out")),
  podOverride: opt(podOverride),
});

const status = obj("How the measurement is going", {
  state: opt(oneOf("State of the job", ["Pending", "Running", "Completed", "Failed"])),
  startTime: opt(time("When it began")),
  completionTime: opt(time("When it ended, well or not")),
  lastReconcileTime: opt(time("When it was last looked at")),
  failureMessage: opt(str("Why it failed")),
  details: opt(str("Further facts")),
});

export const BenchmarkJob = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "BenchmarkJob",
  plural: "benchmarkjobs",
  description: "Measures how fast a service answers, under several loads",
  columns: [
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Status", type: "string", jsonPath: ".status.state" },
  ],
  spec,
  status,
});
