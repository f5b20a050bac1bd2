import { Deployment, findCondition, ReplicaSet } from "@trivium/kube";
import type { Decision, Desired, Note, Patch } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { byName, claim, isControlled, letGo } from "../pods/claim.ts";
import { type DeploymentCondition, progressing, saying } from "./conditions.ts";
import { historyLimitOf, isRolling, progressDeadlineOf, wantedOf } from "./limits.ts";
import { changedSet, newSet, type SetOptions } from "./new-set.ts";
import { isScaling, planScaling } from "./proportions.ts";
import type { ObservedDeployment } from "./reconciler.ts";
import { activeOf, allOf, type ReplicaSets, sizeOf, sortSets } from "./replica-sets.ts";
import { currentAnnotations, maxRevisionOf, revisionAnnotation, revisionOf, sizeAnnotations } from "./revision.ts";
import { planRolling, type Sizes } from "./rolling.ts";
import { countStatus, type DeploymentStatus, isComplete, rolloutStatus, untilLate } from "./status.ts";

/** What one pass does with the sets. */
interface Step {
  readonly sizes: Sizes;
  /** Sets that are to remember the size of the deployment. */
  readonly marked: readonly ReplicaSet[];
  readonly made?: ReplicaSet;
  /** Whether progress is watched: not while paused or scaling. */
  readonly isRollout: boolean;
  /** Old sets beyond the history may go. */
  readonly canTidy: boolean;
}

export function decideDeployment(
  deployment: Deployment,
  observed: ObservedDeployment,
  now: Instant,
): Decision<DeploymentStatus> {
  const { nameHolder } = observed;
  const before = deployment.status ?? {};
  if (nameHolder.is === "pending" || nameHolder.is === "unreachable") return { do: "hold", status: before };
  const { ours, strangers } = claim(observed.sets, deployment.spec.selector);
  const sets = sortSets(deployment, ours);
  const step = planStep(deployment, sets, observed);
  if (step.made !== undefined && nameHolder.is === "known") {
    return { do: "hold", status: { ...before, collisionCount: (before.collisionCount ?? 0) + 1 } };
  }
  const current = sets.current ?? step.made;
  const standing = {
    sets: step.made === undefined ? allOf(sets) : [...sets.old, step.made],
    current,
    conditions: withEvents(deployment, sets, step, now),
  };
  const status = (step.isRollout ? rolloutStatus : countStatus)(deployment, standing, now);
  const recheckIn = step.isRollout ? untilLate(deployment, status, now) : undefined;
  return {
    do: "converge",
    children: childrenOf(deployment, sets, step, new Set(observed.sets.orphans)),
    patches: [...revisionPatch(deployment, sets, step), ...letGo(deployment, ReplicaSet, strangers)],
    status,
    notes: [...step.sizes]
      .filter(([set, size]) => sizeOf(set) !== size)
      .map(scaled)
      .sort(byMessage),
    ...(recheckIn === undefined ? {} : { recheckIn }),
  };
}

function planStep(deployment: Deployment, sets: ReplicaSets, { running }: ObservedDeployment): Step {
  if (deployment.spec.paused) return { ...planScaling(deployment, sets), isRollout: false, canTidy: true };
  if (isScaling(deployment, sets)) return { ...planScaling(deployment, sets), isRollout: false, canTidy: false };
  const step = isRolling(deployment) ? stepRolling(deployment, sets) : stepRecreate(deployment, sets, running);
  const marked = [...step.sizes.keys()];
  return {
    ...step,
    marked,
    isRollout: true,
    canTidy: step.sizes.size === 0 && isComplete(deployment, deployment.status),
  };
}

type Rollout = Pick<Step, "sizes" | "made">;

function stepRolling(deployment: Deployment, { current, old }: ReplicaSets): Rollout {
  if (current !== undefined) return { sizes: planRolling(deployment, current, old) };
  return { sizes: new Map(), made: newSet(deployment, old) };
}

/** No new pod before the last old one has come to its end. */
function stepRecreate(
  deployment: Deployment,
  { current, old }: ReplicaSets,
  running: ObservedDeployment["running"],
): Rollout {
  const active = activeOf(old);
  if (active.length > 0) return { sizes: new Map(active.map((set) => [set, 0])) };
  const isBusy = old.some(
    ({ metadata, status }) => (status?.replicas ?? 0) > 0 || (running[metadata.uid ?? ""] ?? 0) > 0,
  );
  if (isBusy) return { sizes: new Map() };
  if (current === undefined) return { sizes: new Map(), made: newSet(deployment, old) };
  const wanted = wantedOf(deployment);
  return { sizes: sizeOf(current) === wanted ? new Map() : new Map([[current, wanted]]) };
}

/** Conditions that follow from what the user and this pass did, before progress is looked at. */
function withEvents(
  deployment: Deployment,
  sets: ReplicaSets,
  { made }: Step,
  now: Instant,
): readonly DeploymentCondition[] {
  const there = deployment.status?.conditions ?? [];
  if (progressDeadlineOf(deployment) === undefined) return there;
  const conditions = withPause(deployment, there, now);
  if (made !== undefined) {
    const message = `Created new replica set "${made.metadata.name}"`;
    return saying(conditions, progressing("True", "NewReplicaSetCreated", message), now);
  }
  if (sets.current === undefined || findCondition(conditions, "Progressing") !== undefined) return conditions;
  const message = `Found new replica set "${sets.current.metadata.name}"`;
  return saying(conditions, progressing("True", "FoundNewReplicaSet", message), now);
}

/** So that the time of a pause does not count against the deadline. A rollout that was stuck stays so. */
function withPause(deployment: Deployment, conditions: readonly DeploymentCondition[], now: Instant) {
  const reason = findCondition(conditions, "Progressing")?.reason;
  if (reason === "ProgressDeadlineExceeded") return conditions;
  if (deployment.spec.paused) {
    return saying(conditions, progressing("Unknown", "DeploymentPaused", "Deployment is paused"), now);
  }
  if (reason !== "DeploymentPaused") return conditions;
  return saying(conditions, progressing("Unknown", "DeploymentResumed", "Deployment is resumed"), now);
}

function childrenOf(
  deployment: Deployment,
  sets: ReplicaSets,
  step: Step,
  orphans: ReadonlySet<ReplicaSet>,
): Desired[] {
  const gone = step.canTidy ? beyondHistory(deployment, sets.old) : new Set<ReplicaSet>();
  const kept = allOf(sets)
    .filter((set) => !gone.has(set) && set.metadata.deletionTimestamp === undefined)
    .sort(byName);
  const children = kept.map((set): Desired => {
    // What is just taken in is changed in the next pass, when it is ours.
    const changed = orphans.has(set) ? undefined : changedSet(set, requestFor(deployment, sets, step, set));
    return changed === undefined
      ? { kind: ReplicaSet, object: set, keep: true }
      : { kind: ReplicaSet, object: changed };
  });
  return step.made === undefined ? children : [...children, madeSet(step.made)];
}

function requestFor(deployment: Deployment, sets: ReplicaSets, { sizes, marked }: Step, set: ReplicaSet): SetOptions {
  const size = sizes.get(set);
  const own = set === sets.current ? currentRequest(deployment, sets, set) : {};
  const annotations = { ...own.annotations, ...(marked.includes(set) ? sizeAnnotations(deployment) : {}) };
  return { ...own, annotations, ...(size === undefined ? {} : { size }) };
}

function currentRequest(deployment: Deployment, { old }: ReplicaSets, set: ReplicaSet): SetOptions {
  const annotations = currentAnnotations(deployment, set.metadata.annotations ?? {}, maxRevisionOf(old) + 1);
  return { annotations, minReadySeconds: deployment.spec.minReadySeconds ?? 0 };
}

function madeSet(set: ReplicaSet): Desired {
  const { name } = set.metadata;
  const message = `Scaled up replica set ${name} from 0 to ${sizeOf(set)}`;
  const failed: Note = {
    type: "Warning",
    reason: "ReplicaSetCreateError",
    message: `Failed to create new replica set "${name}": `,
  };
  const made: Note = { type: "Normal", reason: "ScalingReplicaSet", message };
  return { kind: ReplicaSet, object: set, events: sizeOf(set) > 0 ? { made, failed } : { failed } };
}

function scaled([set, size]: readonly [ReplicaSet, number]): Note {
  const before = sizeOf(set);
  const how = before < size ? "up" : "down";
  const message = `Scaled ${how} replica set ${set.metadata.name} from ${before} to ${size}`;
  return { type: "Normal", reason: "ScalingReplicaSet", message };
}

const byMessage = (a: Note, b: Note): number => (a.message < b.message ? -1 : 1);

/** The deployment says which revision is the current one. */
function revisionPatch(deployment: Deployment, sets: ReplicaSets, { made }: Step): Patch[] {
  const set = made ?? sets.current;
  if (set === undefined) return [];
  const annotations = currentAnnotations(deployment, set.metadata.annotations ?? {}, maxRevisionOf(sets.old) + 1);
  const revision = annotations[revisionAnnotation];
  if (revision === undefined) return [];
  const { name, namespace } = deployment.metadata;
  const metadata = {
    ...(name && { name }),
    ...(namespace && { namespace }),
    annotations: { [revisionAnnotation]: revision },
  };
  return [{ patch: "fields", kind: Deployment, object: { apiVersion: "apps/v1", kind: "Deployment", metadata } }];
}

/** Old sets that are empty and older than the history is long. */
function beyondHistory(deployment: Deployment, old: readonly ReplicaSet[]): ReadonlySet<ReplicaSet> {
  const limit = historyLimitOf(deployment);
  if (limit === undefined) return new Set();
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const oldest = alive
    .toSorted((a, b) => (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0))
    .slice(0, Math.max(0, alive.length - limit));
  return new Set(oldest.filter((set) => isEmpty(set) && isControlled(set)));
}

function isEmpty(set: ReplicaSet): boolean {
  const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
  return replicas === 0 && sizeOf(set) === 0 && (set.metadata.generation ?? 0) <= observedGeneration;
}
