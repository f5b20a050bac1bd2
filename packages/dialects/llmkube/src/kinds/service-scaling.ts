import { bool, int32, int64, list, obj, oneOf, opt, str } from "@trivium/schema";

const Metric = obj("One metric that drives the number of replicas", {
  type: oneOf("`Pods` for a metric of the engine, `Resource` for CPU or memory", ["Pods", "Resource"]),
  name: str("Name of the metric"),
  targetAverageValue: opt(str("Value per pod to aim for, as a quantity; for `Pods`")),
  targetAverageUtilization: opt(int32("Share of the request to aim for, in percent; for `Resource`")),
});

const Autoscaling = obj("Lets load decide the number of replicas, between two bounds", {
  minReplicas: opt(int32("Fewest replicas", { default: 1, minimum: 1, maximum: 10 })),
  maxReplicas: int32("Most replicas", { minimum: 1, maximum: 100 }),
  metrics: opt(
    list("What to scale by. When empty: the number of requests that the engine is working on, two per replica", Metric),
  ),
});

const Disruption = obj("When the node autoscaler must leave the pods alone", {
  protectStartup: opt(bool("While a pod loads its weights, until it is ready", { default: true })),
  protectAlways: opt(bool("For as long as the pod lives", { default: false })),
});

const RolloutPolicy = obj("How a change reaches pods that are answering requests", {
  waitForIdle: opt(bool("Holds the change back until no pod has a request in flight", { default: false })),
  idleTimeoutSeconds: opt(
    int32("Longest time to wait for idleness; then the change goes ahead", { default: 300, minimum: 0 }),
  ),
  force: opt(bool("Goes ahead at once, whatever is in flight", { default: false })),
});

/** How many pods there are, and when they may be replaced. */
export const scaling = {
  replicas: opt(int32("Wanted copies; 0 stops the service", { default: 1, minimum: 0, maximum: 10 })),
  suspend: opt(bool("Stops the service and keeps `replicas` for later; autoscaling rests too", { default: false })),
  autoscaling: opt(Autoscaling),
  revisionHistoryLimit: opt(int32("Old revisions of the Deployment to keep", { minimum: 0 })),
  disruption: opt(Disruption),
  rolloutPolicy: opt(RolloutPolicy),
  maxPodLifetimeSeconds: opt(
    int64("Replaces pods that are older than this, one at a time and through eviction", { minimum: 1 }),
  ),
  maxPodLifetimeIdleTimeoutSeconds: opt(
    int64("Longest time that such a replacement waits for a pod to be idle", { minimum: 0 }),
  ),
  priority: opt(
    oneOf(
      "Rank in the queue for GPUs; stands for the PriorityClass `llmkube-` and this word",
      ["critical", "high", "normal", "low", "batch"],
      { default: "normal" },
    ),
  ),
  priorityClassName: opt(str("PriorityClass of the pods; wins over `priority`")),
  evictionProtection: opt(
    bool("Keeps the Metal agent from stopping this service when memory is short", { default: false }),
  ),
};
