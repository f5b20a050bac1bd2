import { findCondition } from "@trivium/kube";

type Conditions = readonly { type: string; status: string; message?: string | undefined }[] | undefined;

/** What a Deployment says when its pods cannot be created: a quota, a policy, something the pod names that is not there. */
export function refusedPods(conditions: Conditions): string | undefined {
  const failure = findCondition(conditions, "ReplicaFailure");
  return failure?.status === "True" && failure.message ? failure.message : undefined;
}
