import { type api, type Deployment, findCondition, type ReplicaSet } from "@trivium/kube";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import { withoutZeros } from "../pods/counts.ts";
import { type DeploymentCondition, progressing, renewing, saying, without } from "./conditions.ts";
import { maxUnavailableOf, progressDeadlineOf, wantedOf } from "./limits.ts";
import { sizeOfAll } from "./replica-sets.ts";

export type DeploymentStatus = api.DeploymentStatus;

/** What is known of a deployment's pods: counted from the sets that are there, and the sizes that they are given. */
export interface Standing {
  readonly sets: readonly ReplicaSet[];
  /** The set with the current template, also when it is only about to be made. */
  readonly current: ReplicaSet | undefined;
  readonly conditions: readonly DeploymentCondition[];
}

/** Counts, and whether enough pods are available. */
export function countStatus(
  deployment: Deployment,
  { sets, current, conditions }: Standing,
  now: Instant,
): DeploymentStatus {
  const total = (count: (status: api.ReplicaSetStatus) => number | undefined, of = sets) =>
    of.reduce((sum, { status }) => sum + (status === undefined ? 0 : (count(status) ?? 0)), 0);
  const available = total((status) => status.availableReplicas);
  const { collisionCount } = deployment.status ?? {};
  return {
    ...withoutZeros({
      observedGeneration: deployment.metadata.generation,
      replicas: total((status) => status.replicas),
      updatedReplicas: total((status) => status.replicas, current === undefined ? [] : [current]),
      readyReplicas: total((status) => status.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sizeOfAll(sets) - available),
    }),
    terminatingReplicas: total((status) => status.terminatingReplicas),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: saying(conditions, availability(available >= wantedOf(deployment) - maxUnavailableOf(deployment)), now),
  };
}

function availability(isEnough: boolean) {
  return isEnough
    ? ({
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      } as const)
    : ({
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      } as const);
}

export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const wanted = wantedOf(deployment);
  return (
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The status during a rollout: counts, and how the rollout goes. */
export function rolloutStatus(deployment: Deployment, standing: Standing, now: Instant): DeploymentStatus {
  const counted = countStatus(deployment, standing, now);
  const conditions = withFailures(withProgress(deployment, standing, counted, now), standing);
  return { ...counted, conditions };
}

function withProgress(
  deployment: Deployment,
  { current, conditions: before }: Standing,
  counted: DeploymentStatus,
  now: Instant,
): DeploymentCondition[] {
  const conditions = counted.conditions ?? [];
  if (progressDeadlineOf(deployment) === undefined) return without(conditions, "Progressing");
  const isOver = (counted.replicas ?? 0) === (counted.updatedReplicas ?? 0);
  if (isOver && findCondition(before, "Progressing")?.reason === "NewReplicaSetAvailable") return conditions;
  const who =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  if (isComplete(deployment, counted)) {
    return saying(
      conditions,
      progressing("True", "NewReplicaSetAvailable", `${who} has successfully progressed.`),
      now,
    );
  }
  if (hasMoved(deployment.status ?? {}, counted)) {
    return renewing(conditions, progressing("True", "ReplicaSetUpdated", `${who} is progressing.`), now);
  }
  if (isLate(deployment, conditions, now)) {
    return saying(
      conditions,
      progressing("False", "ProgressDeadlineExceeded", `${who} has timed out progressing.`),
      now,
    );
  }
  return conditions;
}

/** More new pods, fewer old ones, more that are ready or available. */
function hasMoved(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  const grew = (field: "updatedReplicas" | "readyReplicas" | "availableReplicas") =>
    (after[field] ?? 0) > (before[field] ?? 0);
  return grew("updatedReplicas") || old(after) < old(before) || grew("readyReplicas") || grew("availableReplicas");
}

function isLate(deployment: Deployment, conditions: readonly DeploymentCondition[], now: Instant): boolean {
  const at = lateAt(deployment, conditions);
  return at !== undefined && at < now;
}

/** After this instant a rollout counts as stuck, unless something moves. */
function lateAt(deployment: Deployment, conditions: readonly DeploymentCondition[]): Instant | undefined {
  const seconds = progressDeadlineOf(deployment);
  const condition = findCondition(conditions, "Progressing");
  if (seconds === undefined || condition === undefined || condition.reason === "NewReplicaSetAvailable")
    return undefined;
  if (condition.reason === "ProgressDeadlineExceeded") return undefined;
  const since = parseTime(condition.lastUpdateTime ?? "");
  return since === undefined ? undefined : since + seconds * 1_000;
}

/** How long until a rollout that does not move counts as stuck. A status that is about to be written wakes by itself. */
export function untilLate(deployment: Deployment, status: DeploymentStatus, now: Instant): Millis | undefined {
  const before = findCondition(deployment.status?.conditions, "Progressing");
  const after = findCondition(status.conditions, "Progressing");
  if (before === undefined || after?.lastUpdateTime !== before.lastUpdateTime || after?.reason !== before.reason) {
    return undefined;
  }
  const at = lateAt(deployment, status.conditions ?? []);
  return at === undefined || at < now ? undefined : at + 1 - now;
}

/** What a set could not do is the deployment's failure, the current set's first. */
function withFailures(conditions: readonly DeploymentCondition[], { sets, current }: Standing): DeploymentCondition[] {
  const inOrder = current === undefined ? sets : [current, ...sets];
  const failure = inOrder.flatMap(({ status }) => findCondition(status?.conditions, "ReplicaFailure") ?? [])[0];
  if (failure === undefined) return without(conditions, "ReplicaFailure");
  const before = findCondition(conditions, "ReplicaFailure");
  if (before?.status === failure.status && before.reason === failure.reason) return [...conditions];
  const { lastTransitionTime } = failure;
  return [
    ...without(conditions, "ReplicaFailure"),
    { ...failure, ...(lastTransitionTime && { lastUpdateTime: lastTransitionTime }) },
  ];
}
