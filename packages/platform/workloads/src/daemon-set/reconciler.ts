import { type api, ControllerRevision, DaemonSet, Node, Pod } from "@trivium/kube";
import type { Decision, Desired, Reconciler } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { type Belongings, byName, claim, isControlled, letGo, observeBelongings } from "../pods/claim.ts";
import { withoutZeros } from "../pods/counts.ts";
import { isAvailable, isReady, isTerminating, untilNextAvailable } from "../pods/pod-state.ts";
import { type ObservedRevisions, observeRevisions, planHistory } from "../pods/revision-history.ts";
import { manage } from "./manage.ts";
import { isUpdated, newPod, revisionLabel } from "./new-pod.ts";
import { type Place, placesOf } from "./place.ts";
import { planReplacement } from "./rolling.ts";

export interface ObservedDaemonSet extends ObservedRevisions {
  readonly pods: Belongings<Pod>;
  /** Names, labels and taints: all that decides whether a node gets a pod. */
  readonly nodes: readonly Node[];
}

type Reads = typeof Node | typeof Pod | typeof ControllerRevision;
type Status = api.DaemonSetStatus;

/** Keeps one pod on each node that fits. */
export const daemonSetReconciler: Reconciler<DaemonSet, ObservedDaemonSet, Reads> = {
  name: "daemonset-controller",
  kind: DaemonSet,
  reads: [Node],
  writes: [Pod, ControllerRevision],
  controls: [Pod, ControllerRevision],
  hasPlainConditions: true,
  observe(set, reader) {
    const pods = observeBelongings(set, set.spec.selector, Pod, reader);
    return { pods, nodes: reader.list(Node, {}).map(essenceOf), ...observeRevisions(set, reader) };
  },
  decide,
};

function essenceOf({ apiVersion, kind, metadata: { name = "", labels = {} }, spec }: Node): Node {
  return { apiVersion, kind, metadata: { name, labels }, spec: { taints: spec?.taints ?? [] } };
}

function decide(set: DaemonSet, observed: ObservedDaemonSet, now: Instant): Decision<Status> {
  const { nameHolder } = observed;
  const before: Status = set.status ?? {
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  };
  if (nameHolder.is === "pending" || nameHolder.is === "unreachable") return { do: "hold", status: before };
  if (nameHolder.is === "known") {
    return { do: "hold", status: { ...before, collisionCount: (before.collisionCount ?? 0) + 1 } };
  }
  const { ours, strangers } = claim(observed.pods, set.spec.selector);
  const history = planHistory(set, observed.revisions, revisionLabel);
  const hash = history.latest.metadata.labels?.[revisionLabel] ?? "";
  const { places, lost } = placesOf(set, observed.nodes, ours);
  const plan = planPods(set, places, hash, now);
  const leaving = new Set([...plan.remove, ...lost].filter(isControlled));
  const kept = ours.filter((pod) => !leaving.has(pod) && !isTerminating(pod));
  const taken = new Set(ours.map(({ metadata }) => metadata.name ?? ""));
  const recheckIn = earlier(untilNextAvailable(ours, set.spec.minReadySeconds ?? 0, now), plan.wait);
  const deleted = [...leaving].sort(byName).map((pod) => pod.metadata.name);
  return {
    do: "converge",
    children: [
      ...history.children(isLive(set, history.all.slice(0, -1), ours)),
      ...kept.map((pod): Desired => ({ kind: Pod, object: pod, keep: true })),
      ...plan.make.map((node) => newPod(set, node, hash, taken)),
    ],
    patches: [
      ...letGo(set, Pod, strangers),
      ...letGo(set, ControllerRevision, claim(observed.revisions, set.spec.selector).strangers),
    ],
    status: statusOf(set, places, hash, now),
    notes: [
      ...plan.notes,
      ...deleted.map(
        (name) => ({ type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${name}` }) as const,
      ),
    ],
    ...(recheckIn === undefined ? {} : { recheckIn }),
  };
}

/** An update goes on only while every node has what it should: what comes and goes is seen first. */
function planPods(set: DaemonSet, places: readonly Place[], hash: string, now: Instant) {
  const first = manage(set, places, hash, now);
  const isSettled = first.make.length === 0 && first.remove.length === 0;
  if (!isSettled || set.spec.updateStrategy?.type === "OnDelete") return first;
  return { ...first, ...planReplacement(set, places, hash, now) };
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

/** Old revisions beyond the history go, the lowest first, unless pods still have them. */
function isLive(set: DaemonSet, old: readonly ControllerRevision[], pods: readonly Pod[]) {
  const inUse = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const surplus = Math.max(0, old.length - (set.spec.revisionHistoryLimit ?? 10));
  const unused = old.filter(({ metadata }) => !inUse.has(metadata.labels?.[revisionLabel]));
  const gone = new Set(unused.slice(0, surplus));
  return (revision: ControllerRevision) => !gone.has(revision);
}

function statusOf(set: DaemonSet, places: readonly Place[], hash: string, now: Instant): Status {
  const wanted = places.filter(({ fit }) => fit.shouldRun);
  const first = wanted.flatMap(({ pods }) => pods[0] ?? []);
  const ready = first.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length;
  return {
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: first.length,
    numberMisscheduled: places.filter(({ fit, pods }) => !fit.shouldRun && pods.length > 0).length,
    numberReady: ready.length,
    ...withoutZeros({
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: first.filter((pod) => isUpdated(set, pod, hash)).length,
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
      collisionCount: set.status?.collisionCount,
    }),
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
