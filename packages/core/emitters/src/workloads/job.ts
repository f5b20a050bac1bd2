import type { JobPlan } from "@trivium/domain";
import { Job } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";
import { withoutToken } from "./pod-template.ts";

/** A Job cannot change after it was created, so it is created once. */
export function emitJob(plan: JobPlan): Desired<Job> {
  const { pod, retries, keepSeconds, deadlineSeconds } = plan;
  const { labels, annotations, spec } = pod;
  const object: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: metadataOf(plan),
    spec: {
      backoffLimit: retries,
      ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
      ...(keepSeconds === undefined ? {} : { ttlSecondsAfterFinished: keepSeconds }),
      template: {
        metadata: { labels: { ...labels }, ...(annotations === undefined ? {} : { annotations: { ...annotations } }) },
        spec: withoutToken({ ...spec, restartPolicy: "Never" as const }),
      },
    },
  };
  return { kind: Job, object, createOnly: true };
}
