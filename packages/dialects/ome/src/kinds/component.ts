import { k8s } from "@trivium/kube";
import { as, bool, inline, int32, int64, intOrString, list, map, obj, oneOf, opt, str } from "@trivium/schema";

/** Settings for scaling a component with KEDA by a Prometheus query. */
export const kedaConfig = obj("Scaling by KEDA; a component's settings win over the service's", {
  enableKeda: opt(bool("Let KEDA scale")),
  promServerAddress: opt(str("Address of the Prometheus server")),
  customPromQuery: opt(str("Query that gives one number; a built-in one when left out")),
  scalingThreshold: opt(str("Value of the query that one copy can bear, written as text")),
  scalingOperator: opt(
    str("GreaterThanOrEqual to scale up when the value is reached, LessThanOrEqual to scale down when it is not"),
  ),
  authenticationRef: opt(
    obj("How KEDA logs in at Prometheus", {
      name: str("Name of the TriggerAuthentication", { minLength: 1 }),
      kind: opt(
        oneOf("Its kind", ["TriggerAuthentication", "ClusterTriggerAuthentication"], {
          default: "TriggerAuthentication",
        }),
      ),
    }),
  ),
  authModes: opt(str("Ways of logging in, separated by commas: basic, tls, bearer, custom")),
});

const extension = {
  minReplicas: opt(int32("Fewest copies; 0 lets it scale to none", { minimum: 0 })),
  maxReplicas: opt(int32("Most copies")),
  scaleTarget: opt(int32("Value of the metric to keep to")),
  scaleMetric: opt(oneOf("Metric to scale by", ["cpu", "memory", "concurrency", "rps"])),
  containerConcurrency: opt(int64("Most requests that one copy takes at a time")),
  timeoutSeconds: opt(int64("Longest time a request may take, in seconds")),
  canaryTrafficPercent: opt(
    int64("Share of requests that the newest revision gets, in percent", { minimum: 0, maximum: 100 }),
  ),
  labels: opt(map("Labels for the objects and pods of the component", str("Value of the label"))),
  annotations: opt(map("Annotations for the objects and pods of the component", str("Value of the annotation"))),
  deploymentStrategy: opt(as(k8s.DeploymentStrategy, "How pods are replaced; for raw deployments only")),
  kedaConfig: opt(kedaConfig),
  minAvailable: opt(intOrString("Fewest pods that evictions must leave; not together with maxUnavailable")),
  maxUnavailable: opt(intOrString("Most pods that evictions may take; not together with minAvailable")),
};
const disruptionRule = {
  rule: "!(has(self.minAvailable) && has(self.maxUnavailable))",
  message: "minAvailable and maxUnavailable exclude each other",
};

/** The container that runs the model; its name says which container of the pod it is merged into. */
export const runner = as(k8s.Container, "The main container, merged into the pod's container of the same name");

/** Pod fields may all be left out: the runtime or the runner gives the rest. */
const podFields = { optional: ["containers"] } as const;

const leader = inline(
  "The pod that leads, where one replica spans several nodes",
  k8s.PodSpec,
  { runner: opt(runner) },
  podFields,
);
export const worker = inline(
  "The pods that follow, where one replica spans several nodes",
  k8s.PodSpec,
  { size: opt(int32("Number of worker pods in each replica")), runner: opt(runner) },
  podFields,
);

const acceleratorOverride = obj("Which accelerator this component gets, instead of the service's choice", {
  acceleratorClass: opt(str("Name of the accelerator class")),
  policy: opt(oneOf("How one is chosen", ["BestFit", "Cheapest", "MostCapable", "FirstAvailable"])),
});

const serving = {
  ...extension,
  runner: opt(runner),
  leader: opt(leader),
  worker: opt(worker),
  acceleratorOverride: opt(acceleratorOverride),
};
const withDisruptionRule = { ...podFields, keywords: { rules: [disruptionRule] } };

export const engine = inline("The component that computes answers", k8s.PodSpec, serving, withDisruptionRule);
export const decoder = inline(
  "The component that decodes, where prefill and decode run apart",
  k8s.PodSpec,
  serving,
  withDisruptionRule,
);
export const router = inline(
  "The component that spreads requests over the others",
  k8s.PodSpec,
  {
    ...extension,
    runner: opt(runner),
    config: opt(map("Settings of the router; each becomes a variable of its container", str("Value of the setting"))),
  },
  withDisruptionRule,
);

const predictorModel = inline(
  "The model to serve and changes to its container",
  k8s.Container,
  {
    runtime: opt(str("Runtime to use")),
    baseModel: opt(str("Model to serve")),
    fineTunedWeights: opt(list("Weights to serve on top of it", str("Name of a FineTunedWeight"))),
    storageUri: opt(str("Address of the files that are mounted into the pod")),
    runtimeVersion: opt(str("Tag of the runtime's image")),
    protocolVersion: opt(str("Protocol to answer in: v1, v2, grpc-v1 or grpc-v2")),
  },
  { optional: ["name"] },
);

/** The form of services before engine, decoder and router; still understood. */
export const predictor = inline(
  "Older form of engine, model and runtime in one; use those instead",
  k8s.PodSpec,
  { ...extension, model: opt(predictorModel), workerSpec: opt(worker) },
  withDisruptionRule,
);
