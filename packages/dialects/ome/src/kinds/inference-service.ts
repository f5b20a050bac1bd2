import { defineKind, type ObjectOf } from "@trivium/kube";
import { bool, int32, int64, list, listMap, map, obj, oneOf, opt, quantity, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { acceleratorConstraints, acceleratorPolicy } from "./accelerator-fields.ts";
import { decoder, engine, kedaConfig, predictor, router } from "./component.ts";

const model = obj("Model to serve", {
  name: str("Name of the BaseModel or ClusterBaseModel"),
  kind: opt(str("Kind of the referenced object", { default: "ClusterBaseModel" })),
  apiGroup: opt(str("API group of the referenced object", { default: "ome.io" })),
  fineTunedWeights: opt(list("Fine-tuned weights to serve on top of the model", str("Name of a FineTunedWeight"))),
});

const runtime = obj("Runtime to use; if not set, the best compatible runtime is selected", {
  name: str("Name of the ServingRuntime or ClusterServingRuntime"),
  kind: opt(str("Kind of the referenced object", { default: "ClusterServingRuntime" })),
  apiGroup: opt(str("API group of the referenced object", { default: "ome.io" })),
});

const acceleratorSelector = obj("Selection of the accelerator for the service", {
  acceleratorClass: opt(str("Name of the AcceleratorClass to use")),
  policy: opt(acceleratorPolicy),
  constraints: opt(acceleratorConstraints),
});

const spec = obj("Desired state: the model, the runtime and the components that serve it", {
  predictor: opt(predictor),
  engine: opt(engine),
  decoder: opt(decoder),
  model: opt(model),
  runtime: opt(runtime),
  router: opt(router),
  kedaConfig: opt(kedaConfig),
  acceleratorSelector: opt(acceleratorSelector),
});

const url = (description: string) => str(description);
const address = obj("Address inside the cluster", {
  url: opt(url("URL of the address")),
  name: opt(str("Name of the address")),
  CACerts: opt(str("PEM-encoded CA certificates to trust for this address")),
  audience: opt(str("Audience that OIDC tokens for this address must have")),
});

/** Conditions in the form of Knative: a severity, and no generation required. */
const condition = obj("Condition of the service", {
  type: str("Type of the condition"),
  status: str("Status of the condition: True, False or Unknown"),
  severity: opt(str("Severity if the status is not True; empty means that the service cannot be ready")),
  reason: opt(str("Reason for the last transition, in CamelCase")),
  message: opt(str("Explanation, and what to do")),
  lastTransitionTime: opt(time("Time when the status of the condition last changed")),
  observedGeneration: opt(int64("Generation of the object that the condition was set for", { minimum: 0 })),
});

const traffic = obj("Traffic target: a revision and its percentage of the requests", {
  tag: opt(str("Tag that makes this revision reachable on its own")),
  revisionName: opt(str("Revision that receives the traffic")),
  configurationName: opt(str("Configuration whose newest revision receives the traffic")),
  latestRevision: opt(bool("Whether this is the newest revision")),
  percent: opt(int64("Percentage of the requests")),
  url: opt(url("URL of this revision")),
});

const componentStatus = obj("Observed state of one component", {
  latestReadyRevision: opt(str("Newest revision that is ready")),
  latestCreatedRevision: opt(str("Newest revision that was created")),
  previousRolledoutRevision: opt(str("Revision that received all requests before the current one")),
  latestRolledoutRevision: opt(str("Revision that receives all requests")),
  traffic: opt(list("Distribution of the requests among revisions", traffic)),
  url: opt(url("URL of the component")),
  restURL: opt(url("URL for REST requests")),
  address: opt(address),
  selectedAccelerator: opt(
    obj("Accelerator that was selected for the component", {
      acceleratorClass: opt(str("Name of the AcceleratorClass")),
      reason: opt(str("Reason for the selection")),
      nodeSelector: opt(map("Node labels that the pods require", str("Value of the label"))),
      resourceRequests: opt(map("Resources that the pods request", quantity("Quantity of the resource"))),
    }),
  ),
});

const modelStates = ["", "Pending", "Standby", "Loading", "Loaded", "FailedToLoad"] as const;
const failureReasons = [
  "BaseModelNotReady",
  "BaseModelNotFound",
  "ModelLoadFailed",
  "RuntimeUnhealthy",
  "RuntimeDisabled",
  "NoSupportingRuntime",
  "RuntimeNotRecognized",
  "InvalidPredictorSpec",
  "FineTunedWeightsNotFound",
  "BaseModelDisabled",
  "FineTunedWeightsDisabled",
  "BaseModelDeprecated",
  "FineTunedWeightsDeprecated",
  "FineTuneWeightLoadFailed",
  "InvalidRouterSpec",
] as const;

const modelStatus = obj("State of the model in the service", {
  transitionStatus: opt(
    oneOf(
      "Whether the running model matches the spec",
      ["", "UpToDate", "InProgress", "BlockedByFailedLoad", "InvalidSpec"],
      {
        default: "UpToDate",
      },
    ),
  ),
  modelRevisionStates: opt(
    obj("States of the active model and of the target model", {
      activeModelState: opt(oneOf("State of the model that is being served", modelStates, { default: "Pending" })),
      targetModelState: opt(oneOf("State of the model that the spec requests", modelStates, { default: "" })),
    }),
  ),
  lastFailureInfo: opt(
    obj("Last failure", {
      location: opt(str("Location of the failure, usually the name of a pod")),
      reason: opt(oneOf("Reason for the failure", failureReasons)),
      message: opt(str("Description of the failure")),
      modelRevisionName: opt(str("Revision that failed")),
      time: opt(time("Time of the failure")),
      exitCode: opt(int32("Exit code of the container")),
    }),
  ),
  modelCopies: opt(
    obj("Number of copies of the model", {
      failedCopies: opt(int32("Number of copies that failed to load", { default: 0 })),
      totalCopies: opt(int32("Desired number of copies")),
    }),
  ),
});

const status = obj("Observed state of the service", {
  observedGeneration: opt(int64("Generation of the object that this status describes")),
  conditions: opt(listMap("Conditions of the service, one for each type", ["type"], condition)),
  annotations: opt(map("Additional information", str("Value"))),
  address: opt(address),
  url: opt(url("URL of the service")),
  components: opt(map("Observed states of engine, decoder, router and predictor", componentStatus)),
  modelStatus: opt(modelStatus),
});

export const InferenceService = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "InferenceService",
  plural: "inferenceservices",
  shortNames: ["isvc"],
  description: "Serves a model: selects a runtime, and runs, scales and exposes the engine, decoder and router",
  columns: [
    { name: "URL", type: "string", jsonPath: ".status.url" },
    { name: "Ready", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: "Reason", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: "BaseModel", type: "string", jsonPath: ".status.annotations.ome\\.io/base-model-name" },
    { name: "Runtime", type: "string", jsonPath: ".status.annotations.ome\\.io/serving-runtime" },
    { name: "Prev", type: "integer", jsonPath: ".status.components.engine.traffic[?(@.tag=='prev')].percent" },
    {
      name: "Latest",
      type: "integer",
      jsonPath: ".status.components.engine.traffic[?(@.latestRevision==true)].percent",
    },
    {
      name: "PrevRolledoutRevision",
      type: "string",
      jsonPath: ".status.components.engine.previousRolledoutRevision",
      priority: 1,
    },
    {
      name: "LatestReadyRevision",
      type: "string",
      jsonPath: ".status.components.engine.latestReadyRevision",
      priority: 1,
    },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
});
export type InferenceService = ObjectOf<typeof InferenceService>;
