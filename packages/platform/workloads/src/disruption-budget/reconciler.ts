import {
  type api,
  controllerOf,
  Deployment,
  matchesLabels,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  selectorOf,
} from "@trivium/kube";
import type { Decision, Note, Reconciler } from "@trivium/reconcile";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import { scaledValue } from "../pods/int-or-percent.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { observeScales, type Scaled, type Scales } from "./expected.ts";

export interface ObservedBudget {
  readonly pods: readonly Pod[];
  /** Looked at only where the budget is a share of what is wanted. */
  readonly scales: Scales;
}

type Status = api.PodDisruptionBudgetStatus;

/** A pod that was given up for eviction and is still there after this time was not evicted. */
const deletionTimeout: Millis = 120_000;

/** Says how many pods of a group may be missing right now; evictions take from that. */
export const disruptionBudgetReconciler: Reconciler<PodDisruptionBudget, ObservedBudget, typeof Pod | Scaled> = {
  name: "controllermanager",
  kind: PodDisruptionBudget,
  reads: [Pod, ReplicaSet, Deployment, StatefulSet, ReplicationController],
  writes: [],
  ownsStatus: true,
  observe(budget, reader) {
    const { namespace } = budget.metadata;
    const { selector } = budget.spec ?? {};
    const matches = selectorOf(selector);
    const pods = reader
      .list(Pod, { namespace, labels: selector?.matchLabels ?? {} })
      .filter(({ metadata }) => matchesLabels(matches, metadata.labels));
    return { pods, scales: isShare(budget) ? observeScales(pods, reader) : {} };
  },
  decide(budget, { pods, scales }, now) {
    const before = budget.status ?? {};
    if (Object.values(scales).some(({ is }) => is === "pending" || is === "unreachable"))
      return { do: "hold", status: before };
    const none: Note[] =
      pods.length === 0 ? [{ type: "Normal", reason: "NoPods", message: "No matching pods found" }] : [];
    const lost = isShare(budget) ? pods.find((pod) => hasUnknownController(pod, scales)) : undefined;
    if (lost !== undefined) return failed(before, `found no controllers for pod "${lost.metadata.name}"`);
    const unmanaged: Note[] =
      isShare(budget) && pods.some((pod) => controllerOf(pod) === undefined) ? [strays(budget)] : [];
    return counted(budget, { pods, scales }, now, [...none, ...unmanaged]);
  },
};

const isShare = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";

function hasUnknownController(pod: Pod, scales: Scales): boolean {
  const owner = controllerOf(pod);
  return owner !== undefined && scales[owner.uid]?.is !== "known";
}

/** Nothing may be missing while nobody knows how many there should be. */
function failed(before: Status, why: string): Decision<Status> {
  const condition = { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: why } as const;
  const { observedGeneration } = before;
  const reported = {
    ...condition,
    lastTransitionTime: "",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  const message = `Failed to calculate the number of expected pods: ${why}`;
  const notes: Note[] = [{ type: "Warning", reason: "CalculateExpectedPodCountFailed", message }];
  const counts = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...before, disruptionsAllowed: 0 };
  return { do: "hold", status: { ...counts, conditions: [reported] }, notes };
}

function counted(
  budget: PodDisruptionBudget,
  observed: ObservedBudget,
  now: Instant,
  notes: readonly Note[],
): Decision<Status> {
  const { expected, desired } = requestOf(budget, observed);
  const disrupted = disruptedPods(budget, observed.pods, now);
  const healthy = observed.pods.filter((pod) => isHealthy(pod, disrupted, now)).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const { generation } = budget.metadata;
  const recheckIn = untilGivenUp(disrupted, now);
  const isAllowed = allowed > 0;
  const status: Status = {
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    ...(disrupted.size === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: [
      {
        type: "DisruptionAllowed",
        status: isAllowed ? "True" : "False",
        reason: isAllowed ? "SufficientPods" : "InsufficientPods",
        message: "",
        lastTransitionTime: "",
      },
    ],
  };
  return { do: "hold", status, notes, ...(recheckIn === undefined ? {} : { recheckIn }) };
}

/** How many pods are expected, and how many of them have to be healthy. */
function requestOf(
  { spec }: PodDisruptionBudget,
  { pods, scales }: ObservedBudget,
): { expected: number; desired: number } {
  const { maxUnavailable, minAvailable } = spec ?? {};
  const wanted = new Map(
    Object.values(scales).flatMap((fact) => (fact.is === "known" ? [[fact.value.of, fact.value.replicas]] : [])),
  );
  const expected = [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
  if (maxUnavailable !== undefined) {
    return { expected, desired: Math.max(0, expected - scaledValue(maxUnavailable, expected, "up")) };
  }
  if (typeof minAvailable === "number") return { expected: pods.length, desired: minAvailable };
  return minAvailable === undefined
    ? { expected: 0, desired: 0 }
    : { expected, desired: scaledValue(minAvailable, expected, "up") };
}

/** Pods that an eviction has given up and that are not yet on their way out; those that never left count again. */
function disruptedPods(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: Instant,
): ReadonlyMap<string, string> {
  const there = new Set(pods.filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name));
  return new Map(
    Object.entries(status?.disruptedPods ?? {}).filter(([name, at]) => there.has(name) && givenUpAt(at, now) >= now),
  );
}

const givenUpAt = (at: string, now: Instant): Instant => (parseTime(at) ?? now - deletionTimeout - 1) + deletionTimeout;

function isHealthy(pod: Pod, disrupted: ReadonlyMap<string, string>, now: Instant): boolean {
  if (isTerminating(pod) || !isReady(pod)) return false;
  const at = disrupted.get(pod.metadata.name ?? "");
  return at === undefined || givenUpAt(at, now) <= now;
}

function untilGivenUp(disrupted: ReadonlyMap<string, string>, now: Instant): Millis | undefined {
  if (disrupted.size === 0) return undefined;
  const next = Math.min(...[...disrupted.values()].map((at) => givenUpAt(at, now)));
  return Math.max(1, next - now);
}

function strays({ spec }: PodDisruptionBudget): Note {
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${goSelector(spec?.selector)}) were found to be unmanaged. As a result, ` +
    "the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
  return { type: "Warning", reason: "UnmanagedPods", message };
}

/** A selector as the real controller prints it. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: api.LabelSelector = {}): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
