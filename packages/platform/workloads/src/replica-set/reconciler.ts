import { controllerOf, matchesLabels, Pod, ReplicaSet, selectorOf } from "@trivium/kube";
import type { Desired, Note, Reader, Reconciler } from "@trivium/reconcile";
import { type Belongings, byName, claim, isControlled, letGo, observeBelongings } from "../pods/claim.ts";
import { withoutZeros } from "../pods/counts.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { nextPodNames } from "../pods/pod-name.ts";
import { isActive, isAvailable, isFinished, isReady, isTerminating, untilNextAvailable } from "../pods/pod-state.ts";
import { byRemoval, type PodsOnNode } from "../pods/removal-order.ts";

export interface ObservedReplicaSet {
  readonly pods: Belongings<Pod>;
  /** Looked at only when some pods have to go. */
  readonly onNode: PodsOnNode;
}

/** Keeps as many active pods as the set wants, and counts them. */
export const replicaSetReconciler: Reconciler<ReplicaSet, ObservedReplicaSet, typeof Pod | typeof ReplicaSet> = {
  name: "replicaset-controller",
  kind: ReplicaSet,
  reads: [ReplicaSet],
  writes: [Pod],
  controls: [Pod],
  hasPlainConditions: true,
  observe(set, reader) {
    const pods = observeBelongings(set, set.spec.selector, Pod, reader);
    const active = [...pods.own, ...pods.orphans].filter(isActive).length;
    const isChoosing = active > wantedOf(set) && wantedOf(set) > 0;
    return { pods, onNode: isChoosing ? observeNodes(set, reader) : {} };
  },
  decide(set, { pods, onNode }, now) {
    const { ours, strangers } = claim(pods, set.spec.selector);
    const active = ours.filter(isActive);
    const surplus = active.length - wantedOf(set);
    const leaving = surplus > 0 ? active.toSorted(byRemoval(onNode)).slice(0, surplus).filter(isControlled) : [];
    const kept = [...pods.own.filter(isFinished), ...active.filter((pod) => !leaving.includes(pod))].sort(byName);
    const minReady = set.spec.minReadySeconds ?? 0;
    const recheckIn = untilNextAvailable(active, minReady, now);
    return {
      do: "converge",
      children: [...kept.map(keep), ...newPods(set, [...pods.own, ...pods.orphans], -surplus)],
      patches: letGo(set, Pod, strangers.filter(isActive)),
      status: statusOf(set, active, ours.filter(isEnding).length, now),
      notes: leaving.toSorted(byName).map(deleted),
      ...(recheckIn === undefined ? {} : { recheckIn }),
    };
  },
  /** As the controller of Kubernetes says it; a Deployment repeats it. */
  refused: (_, status, [first]) => ({
    ...status,
    conditions: [
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: first?.message ?? "" },
    ] as NonNullable<NonNullable<ReplicaSet["status"]>["conditions"]>,
  }),
};

const wantedOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1;
const isEnding = (pod: Pod): boolean => isTerminating(pod) && !isFinished(pod);
const keep = (pod: Pod): Desired => ({ kind: Pod, object: pod, keep: true });

function deleted({ metadata }: Pod): Note {
  return { type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${metadata.name}` };
}

function newPods(set: ReplicaSet, there: readonly Pod[], count: number): Desired[] {
  if (count <= 0) return [];
  const { name = "", namespace, uid = "" } = set.metadata;
  const taken = new Set(there.map((pod) => pod.metadata.name ?? ""));
  return nextPodNames(name, uid, taken, count).map((podName) => ({
    kind: Pod,
    object: podFromTemplate(set.spec.template, { name: podName, namespace }),
    createOnly: true,
    events: {
      made: { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${podName}` },
      failed: { type: "Warning", reason: "FailedCreate", message: "Error creating: " },
    },
  }));
}

function statusOf(set: ReplicaSet, active: readonly Pod[], terminating: number, now: number) {
  const template = selectorOf({ matchLabels: set.spec.template?.metadata?.labels });
  const minReady = set.spec.minReadySeconds ?? 0;
  return {
    replicas: active.length,
    ...withoutZeros({
      fullyLabeledReplicas: active.filter(({ metadata }) => matchesLabels(template, metadata.labels)).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, minReady, now)).length,
      observedGeneration: set.metadata.generation,
    }),
    terminatingReplicas: terminating,
  };
}

/** The active pods of all sets of the same owner, counted by node. */
function observeNodes(set: ReplicaSet, reader: Reader<typeof Pod | typeof ReplicaSet>): PodsOnNode {
  const { namespace, uid = "" } = set.metadata;
  const owner = controllerOf(set)?.uid;
  const family =
    owner === undefined ? [uid] : reader.list(ReplicaSet, { namespace, owner }).map(({ metadata }) => metadata.uid);
  const counts: Record<string, number> = {};
  for (const member of family) {
    for (const pod of reader.list(Pod, { namespace, owner: member ?? "" })) {
      const node = pod.spec.nodeName ?? "";
      if (isActive(pod)) counts[node] = (counts[node] ?? 0) + 1;
    }
  }
  return counts;
}
