import { type api, findCondition } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";

export type DeploymentCondition = api.DeploymentCondition;
type Said = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** The reasons of each condition. */
export const deploymentWords = {
  Progressing: [
    "NewReplicaSetCreated",
    "FoundNewReplicaSet",
    "ReplicaSetUpdated",
    "NewReplicaSetAvailable",
    "ProgressDeadlineExceeded",
    "DeploymentPaused",
    "DeploymentResumed",
  ],
  Available: ["MinimumReplicasAvailable", "MinimumReplicasUnavailable"],
  ReplicaFailure: ["FailedCreate", "FailedDelete"],
} as const;

/** A condition with the same status and reason stays as it is, with its message and its times. */
export function saying(conditions: readonly DeploymentCondition[], said: Said, now: Instant): DeploymentCondition[] {
  const before = findCondition(conditions, said.type);
  if (before?.status === said.status && before.reason === said.reason) return [...conditions];
  return renewing(conditions, said, now);
}

/** The condition is said anew even if it says the same: something has moved. */
export function renewing(conditions: readonly DeploymentCondition[], said: Said, now: Instant): DeploymentCondition[] {
  const before = findCondition(conditions, said.type);
  const at = formatTime(now);
  const lastTransitionTime = before?.status === said.status ? (before.lastTransitionTime ?? at) : at;
  return [...without(conditions, said.type), { ...said, lastUpdateTime: at, lastTransitionTime }];
}

export function without(conditions: readonly DeploymentCondition[], type: string): DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function progressing(status: "True" | "False" | "Unknown", reason: string, message: string): Said {
  return { type: "Progressing", status, reason, message };
}
