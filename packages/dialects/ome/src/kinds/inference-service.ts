import { defineKind, type ObjectOf } from "@trivium/kube";
import { bool, int32, int64, list, listMap, map, obj, oneOf, opt, quantity, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { decoder, engine, kedaConfig, predictor, router } from "./component.ts";

const model = obj("The model to serve", {
  name: str("Name of the BaseModel or ClusterBaseModel"),
  kind: opt(str("Its kind", { default: "ClusterBaseModel" })),
  apiGroup: opt(str("Its API group", { default: "ome.io" })),
  fineTunedWeights: opt(list("Weights to serve on top of it", str("Name of a FineTunedWeight"))),
});

const runtime = obj("The runtime to use; the best one is chosen when left out", {
  name: str("Name of the ServingRuntime or ClusterServingRuntime"),
  kind: opt(str("Its kind", { default: "ClusterServingRuntime" })),
  apiGroup: opt(str("Its API group", { default: "ome.io" })),
});

const acceleratorSelector = obj("Which accelerators the service runs on", {
  acceleratorClass: opt(str("Name of the class to use")),
  policy: opt(oneOf("How one is chosen", ["BestFit", "Cheapest", "MostCapable", "FirstAvailable"])),
  constraints: opt(
    obj("What a class must offer", {
      minMemory: opt(int32("Least memory, in GB")),
      maxMemory: opt(int32("Most memory, in GB")),
      minComputePerformanceTFLOPS: opt(int32("Least speed, in TFLOPS")),
      minArchitectureVersion: opt(str("Oldest architecture")),
      requiredFeatures: opt(list("Features it must have", str("A feature"))),
      excludedClasses: opt(list("Classes that will not do", str("Name of a class"))),
      architectureFamilies: opt(list("Families that will do", str("A family"))),
      preferredPrecisions: opt(list("Precisions it should be good at", str("A precision"))),
    }),
  ),
});

const spec = obj("What to serve, with which runtime, in which shape", {
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
const address = obj("Where it is reached inside the cluster", {
  url: opt(url("Its address")),
  name: opt(str("Name of the address")),
  CACerts: opt(str("Certificates to trust at this address, in PEM")),
  audience: opt(str("Audience that tokens for this address need")),
});

/** Conditions in the form of Knative: a severity, and no generation required. */
const condition = obj("One aspect of the state", {
  type: str("The aspect"),
  status: str("True, False or Unknown"),
  severity: opt(str("How bad it is when not True; empty means it keeps the service from being ready")),
  reason: opt(str("Why, in one word")),
  message: opt(str("Why, and what to do")),
  lastTransitionTime: opt(time("When the status last changed")),
  observedGeneration: opt(int64("Generation of the spec this was found for", { minimum: 0 })),
});

const traffic = obj("A share of the requests", {
  tag: opt(str("Name under which this revision alone is reached")),
  revisionName: opt(str("Revision that gets the share")),
  configurationName: opt(str("Configuration whose newest revision gets the share")),
  latestRevision: opt(bool("Whether it is the newest revision")),
  percent: opt(int64("The share, in percent")),
  url: opt(url("Address of this revision alone")),
});

const componentStatus = obj("State of one component", {
  latestReadyRevision: opt(str("Newest revision that answers")),
  latestCreatedRevision: opt(str("Newest revision")),
  previousRolledoutRevision: opt(str("Revision that had all requests before")),
  latestRolledoutRevision: opt(str("Revision that has all requests")),
  traffic: opt(list("How requests are spread over revisions", traffic)),
  url: opt(url("Its address")),
  restURL: opt(url("Its address for REST")),
  address: opt(address),
  selectedAccelerator: opt(
    obj("The accelerator that was chosen for it", {
      acceleratorClass: opt(str("Name of the class")),
      reason: opt(str("Why this one")),
      nodeSelector: opt(map("Labels of its nodes", str("Value of the label"))),
      resourceRequests: opt(map("Resources that its pods ask for", quantity("Amount"))),
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
      "Whether what runs is what the spec asks for",
      ["", "UpToDate", "InProgress", "BlockedByFailedLoad", "InvalidSpec"],
      {
        default: "UpToDate",
      },
    ),
  ),
  modelRevisionStates: opt(
    obj("States of the model that runs and of the one to come", {
      activeModelState: opt(oneOf("State of the model that runs", modelStates, { default: "Pending" })),
      targetModelState: opt(oneOf("State of the model to come", modelStates, { default: "" })),
    }),
  ),
  lastFailureInfo: opt(
    obj("What went wrong last", {
      location: opt(str("Where, usually the name of a pod")),
      reason: opt(oneOf("What class of failure", failureReasons)),
      message: opt(str("What happened")),
      modelRevisionName: opt(str("Revision it happened to")),
      time: opt(time("When")),
      exitCode: opt(int32("Exit code of the container")),
    }),
  ),
  modelCopies: opt(
    obj("Copies of the model", {
      failedCopies: opt(int32("Copies that failed to load", { default: 0 })),
      totalCopies: opt(int32("Copies that should be there")),
    }),
  ),
});

const status = obj("What was decided for the service and how it is doing", {
  observedGeneration: opt(int64("Generation of the spec that this status describes")),
  conditions: opt(listMap("What was found, one entry for each aspect", ["type"], condition)),
  annotations: opt(map("Further facts", str("Value of the fact"))),
  address: opt(address),
  url: opt(url("Where the service is reached")),
  components: opt(map("States of engine, decoder, router and predictor", componentStatus)),
  modelStatus: opt(modelStatus),
});

export const InferenceService = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "InferenceService",
  plural: "inferenceservices",
  shortNames: ["isvc"],
  description: "Serves a model: chooses a runtime, runs engine, decoder and router, scales and routes them",
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
