import { k8s } from "@trivium/kube";
import { as, bool, inline, int32, int64, intOrString, list, map, obj, oneOf, opt, str } from "@trivium/schema";
import { acceleratorConstraints, acceleratorPolicy } from "./accelerator-fields.ts";

/** Settings for scaling a component with KEDA by a Prometheus query. */
export const kedaConfig = obj(
  "Autoscaling with KEDA; settings of a component take precedence over those of the service",
  {
    enableKeda: opt(bool("Enables autoscaling with KEDA")),
    promServerAddress: opt(str("URL of the Prometheus server")),
    customPromQuery: opt(str("Prometheus query that returns a single value; defaults to a built-in query")),
    scalingThreshold: opt(str("Target value of the query for each replica, as a string")),
    scalingOperator: opt(
      str("GreaterThanOrEqual scales up when the threshold is reached, LessThanOrEqual scales down when it is not"),
    ),
    authenticationRef: opt(
      obj("How KEDA authenticates to Prometheus", {
        name: str("Name of the TriggerAuthentication", { minLength: 1 }),
        kind: opt(
          oneOf("Kind of the referenced object", ["TriggerAuthentication", "ClusterTriggerAuthentication"], {
            default: "TriggerAuthentication",
          }),
        ),
      }),
    ),
    authModes: opt(str("Comma-separated authentication modes: basic, tls, bearer, custom")),
  },
);

const extension = {
  minReplicas: opt(int32("Minimum number of replicas; 0 allows scaling to zero", { minimum: 0 })),
  maxReplicas: opt(int32("Maximum number of replicas")),
  scaleTarget: opt(int32("Target value of the metric")),
  scaleMetric: opt(oneOf("Metric to scale by", ["cpu", "memory", "concurrency", "rps"])),
  containerConcurrency: opt(int64("Maximum number of concurrent requests for each replica")),
  timeoutSeconds: opt(int64("Request timeout in seconds")),
  canaryTrafficPercent: opt(
    int64("Percentage of the requests that the newest revision receives", { minimum: 0, maximum: 100 }),
  ),
  labels: opt(map("Labels to add to the objects and pods of the component", str("Value of the label"))),
  annotations: opt(map("Annotations to add to the objects and pods of the component", str("Value of the annotation"))),
  deploymentStrategy: opt(as(k8s.DeploymentStrategy, "Strategy for replacing pods; RawDeployment mode only")),
  kedaConfig: opt(kedaConfig),
  minAvailable: opt(
    intOrString(
      "Minimum number of pods that must stay available during evictions; cannot be combined with maxUnavailable",
    ),
  ),
  maxUnavailable: opt(
    intOrString("Maximum number of pods that evictions can make unavailable; cannot be combined with minAvailable"),
  ),
};
const disruptionRule = {
  rule: "!(has(self.minAvailable) && has(self.maxUnavailable))",
  message: "minAvailable and maxUnavailable are mutually exclusive",
};

/** The container that runs the model; its name says which container of the pod it is merged into. */
export const runner = as(k8s.Container, "Main container, merged into the container of the same name in the pod");

/** Pod fields may all be left out: the runtime or the runner gives the rest. */
const podFields = { optional: ["containers"] } as const;

const leader = inline(
  "Leader pod of a replica that spans several nodes",
  k8s.PodSpec,
  { runner: opt(runner) },
  podFields,
);
export const worker = inline(
  "Worker pods of a replica that spans several nodes",
  k8s.PodSpec,
  { size: opt(int32("Number of worker pods in each replica")), runner: opt(runner) },
  podFields,
);

const acceleratorOverride = obj("Accelerator of this component; overrides the selection for the service", {
  acceleratorClass: opt(str("Name of the AcceleratorClass")),
  policy: opt(acceleratorPolicy),
  constraints: opt(acceleratorConstraints),
});

const serving = {
  ...extension,
  runner: opt(runner),
  leader: opt(leader),
  worker: opt(worker),
  acceleratorOverride: opt(acceleratorOverride),
};
const withDisruptionRule = { ...podFields, keywords: { rules: [disruptionRule] } };

export const engine = inline("Component that runs inference", k8s.PodSpec, serving, withDisruptionRule);
export const decoder = inline(
  "Component that runs the decode phase when prefill and decode are disaggregated",
  k8s.PodSpec,
  serving,
  withDisruptionRule,
);
export const router = inline(
  "Component that distributes requests among the other components",
  k8s.PodSpec,
  {
    ...extension,
    runner: opt(runner),
    config: opt(
      map(
        "Settings of the router; each is set as an environment variable of its container",
        str("Value of the setting"),
      ),
    ),
  },
  withDisruptionRule,
);

const predictorModel = inline(
  "Model to serve, and overrides for its container",
  k8s.Container,
  {
    runtime: opt(str("Name of the runtime to use")),
    baseModel: opt(str("Name of the base model to serve")),
    fineTunedWeights: opt(list("Fine-tuned weights to serve on top of the model", str("Name of a FineTunedWeight"))),
    storageUri: opt(str("Storage URI of the files that are mounted into the pod")),
    runtimeVersion: opt(str("Image tag of the runtime")),
    protocolVersion: opt(str("Protocol to serve: v1, v2, grpc-v1 or grpc-v2")),
  },
  { optional: ["name"] },
);

/** The form of services before engine, decoder and router; still understood. */
export const predictor = inline(
  "Deprecated: use engine, model and runtime instead",
  k8s.PodSpec,
  { ...extension, model: opt(predictorModel), workerSpec: opt(worker) },
  withDisruptionRule,
);
