import type { api, Pod, StatefulSet } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { withoutZeros } from "../pods/counts.ts";
import { isAvailable, isRunningAndReady, isTerminating } from "../pods/pod-state.ts";
import { revisionOf, wantedOf } from "./identity.ts";

export type StatefulSetStatus = api.StatefulSetStatus;

/** Counts of pods. With the last pod of the latest revision, that revision is the current one. */
export function statusOf(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: { current: string; latest: string },
  now: Instant,
): StatefulSetStatus {
  const { current, latest } = revisions;
  const staying = pods.filter((pod) => !isTerminating(pod));
  const ready = pods.filter(isRunningAndReady);
  const minReady = set.spec.minReadySeconds ?? 0;
  const updated = staying.filter((pod) => revisionOf(pod) === latest).length;
  const wanted = wantedOf(set);
  const isRolling = set.spec.updateStrategy?.type !== "OnDelete";
  const isDone = isRolling && [updated, ready.length, pods.length].every((count) => count === wanted);
  return {
    replicas: pods.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReady, now)).length,
    ...withoutZeros({
      observedGeneration: set.metadata.generation,
      readyReplicas: ready.length,
      currentReplicas: isDone ? updated : staying.filter((pod) => revisionOf(pod) === current).length,
      updatedReplicas: updated,
    }),
    currentRevision: isDone ? latest : current,
    updateRevision: latest,
    collisionCount: set.status?.collisionCount ?? 0,
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
