import { type Failure, lastWarning } from "@trivium/domain";
import { findCondition, Job, type Pod } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";

type Conditions = readonly { type: string; status: string; message?: string | undefined }[] | undefined;

/** What a Deployment says when its pods cannot be created: a quota, a policy, something the pod names that is not there. */
export function refusedPods(conditions: Conditions): string | undefined {
  const failure = findCondition(conditions, "ReplicaFailure");
  return failure?.status === "True" && failure.message ? failure.message : undefined;
}

/** The same of a Job. It has no condition for pods that it cannot create: only its Events tell, and only while it has none. */
export function observeRefusedPods(job: Job, pods: readonly Pod[], reader: Pick<Reader, "ask">): Failure | undefined {
  if (pods.length > 0) return undefined;
  const { namespace = "", name = "", uid = "" } = job.metadata;
  const warning = reader.ask(lastWarning, { namespace, kind: Job.kind, name, uid });
  if (warning.is !== "known" || warning.value.reason !== "FailedCreate") return undefined;
  return { kind: "refused", pod: "", message: warning.value.message };
}
