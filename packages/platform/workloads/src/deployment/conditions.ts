import { type api, findCondition } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";

export type DeploymentCondition = api.DeploymentCondition;
type Reported = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** The reasons of each condition. */
export const deploymentVocabulary = {
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
export function saying(
  conditions: readonly DeploymentCondition[],
  reported: Reported,
  now: Instant,
): DeploymentCondition[] {
  const before = findCondition(conditions, reported.type);
  if (before?.status === reported.status && before.reason === reported.reason) return [...conditions];
  return renewing(conditions, reported, now);
}

/** The condition is said anew even if it says the same: something has moved. */
export function renewing(
  conditions: readonly DeploymentCondition[],
  reported: Reported,
  now: Instant,
): DeploymentCondition[] {
  const before = findCondition(conditions, reported.type);
  const at = formatTime(now);
  const lastTransitionTime = before?.status === reported.status ? (before.lastTransitionTime ?? at) : at;
  return [...without(conditions, reported.type), { ...reported, lastUpdateTime: at, lastTransitionTime }];
}

export function without(conditions: readonly DeploymentCondition[], type: string): DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function progressing(status: "True" | "False" | "Unknown", reason: string, message: string): Reported {
  return { type: "Progressing", status, reason, message };
}
