import { bool, int32, int64, list, obj, oneOf, opt, str } from "@trivium/schema";

const Metric = obj("Metric to scale by", {
  type: oneOf("`Pods` for a metric of the engine, `Resource` for CPU or memory", ["Pods", "Resource"]),
  name: str("Name of the metric"),
  targetAverageValue: opt(str("Target average value for each pod, as a quantity; for `Pods`")),
  targetAverageUtilization: opt(int32("Target average utilization in percent of the request; for `Resource`")),
});

const Autoscaling = obj("Scales the number of replicas with the load", {
  minReplicas: opt(int32("Minimum number of replicas", { default: 1, minimum: 1, maximum: 10 })),
  maxReplicas: int32("Maximum number of replicas", { minimum: 1, maximum: 100 }),
  metrics: opt(list("Metrics to scale by. Defaults to two concurrent requests for each replica", Metric)),
});

const Disruption = obj("When the cluster autoscaler must not evict the pods", {
  protectStartup: opt(bool("Protects a pod until it is ready, while it loads the weights", { default: true })),
  protectAlways: opt(bool("Protects a pod during its whole lifetime", { default: false })),
});

const RolloutPolicy = obj("How changes are rolled out while pods process requests", {
  waitForIdle: opt(bool("Defers the rollout until no pod has requests in flight", { default: false })),
  idleTimeoutSeconds: opt(
    int32("Maximum time to wait for idle pods, in seconds; after that, the rollout proceeds", {
      default: 300,
      minimum: 0,
    }),
  ),
  force: opt(bool("Rolls out immediately, regardless of requests in flight", { default: false })),
});

/** How many pods there are, and when they may be replaced. */
export const scaling = {
  replicas: opt(int32("Desired number of replicas; 0 stops the service", { default: 1, minimum: 0, maximum: 10 })),
  suspend: opt(bool("Stops the service and its autoscaling, and keeps `replicas` for later", { default: false })),
  autoscaling: opt(Autoscaling),
  revisionHistoryLimit: opt(int32("Number of old revisions of the Deployment to keep", { minimum: 0 })),
  disruption: opt(Disruption),
  rolloutPolicy: opt(RolloutPolicy),
  maxPodLifetimeSeconds: opt(
    int64("Maximum age of a pod in seconds; older pods are evicted one at a time", { minimum: 1 }),
  ),
  maxPodLifetimeIdleTimeoutSeconds: opt(
    int64("Maximum time to wait for an expired pod to become idle, in seconds", { minimum: 0 }),
  ),
  priority: opt(
    oneOf(
      "Priority in the queue for GPUs; selects the PriorityClass `llmkube-<priority>`",
      ["critical", "high", "normal", "low", "batch"],
      { default: "normal" },
    ),
  ),
  priorityClassName: opt(str("PriorityClass of the pods; takes precedence over `priority`")),
  evictionProtection: opt(
    bool("Prevents the Metal agent from stopping this service under memory pressure", { default: false }),
  ),
};
