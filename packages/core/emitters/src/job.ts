import type { JobPlan } from "@trivium/domain";
import { Job } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

/** A Job cannot change after it was made, so it is made once. */
export function emitJob(plan: JobPlan): Desired<Job> {
  const { name, labels, pod, retries, keepSeconds } = plan;
  const object: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels: { ...labels } },
    spec: {
      backoffLimit: retries,
      ttlSecondsAfterFinished: keepSeconds,
      template: {
        metadata: { labels: { ...pod.labels }, annotations: { ...pod.annotations } },
        spec: { ...pod.spec, restartPolicy: "Never" },
      },
    },
  };
  return { kind: Job, object, createOnly: true };
}
