const clusterAnnotation = "ome.io/dedicated-ai-cluster";

/** Labels by which queues find pods, from what the annotations of a component say. */
export function queueLabelsOf(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const scheduler: Record<string, string> =
    annotations.volcano === undefined ? {} : { "ray.io/scheduler-name": "volcano" };
  const queue = annotations["ome.io/volcano-queue"];
  if (queue) return { ...scheduler, "volcano.sh/queue-name": queue };
  const cluster = annotations[clusterAnnotation];
  if (!cluster) return scheduler;
  if (annotations["kueue-enabled"] !== undefined)
    return {
      ...scheduler,
      "kueue.x-k8s.io/queue-name": cluster,
      "kueue.x-k8s.io/priority-class": "kueue-scheduling-high-priority",
    };
  return {
    ...scheduler,
    "volcano.sh/queue-name": cluster,
    "ray.io/priority-class-name": "volcano-scheduling-high-priority",
  };
}
