import type { JobPlan } from "@trivium/domain";
import { Job } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { templateOf } from "./pod-template.ts";

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
      template: templateOf({ ...pod, spec: { ...pod.spec, restartPolicy: "Never" } }),
    },
  };
  return { kind: Job, object, createOnly: true };
}
