import type { DaemonSet, Pod } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import { isAvailable, isReady, isTerminating } from "../pods/pod-state.ts";
import { allowsSurge } from "./limits.ts";
import { isUpdated } from "./new-pod.ts";
import type { Place } from "./place.ts";

/** What one pass does: nodes that get a pod, and pods that go. */
export interface PodPlan {
  readonly make: readonly string[];
  readonly remove: readonly Pod[];
  readonly notes: readonly Note[];
  /** How long until a pod that has failed is replaced. */
  readonly wait: Millis | undefined;
}

/** A pod that failed is replaced this long after it was made at the earliest, so that one that fails at once is not made without end. */
const failedFor: Millis = 10_000;

/** Each node that should have a pod gets one, and each that should not loses it. */
export function manage(set: DaemonSet, places: readonly Place[], hash: string, now: Instant): PodPlan {
  const plan = {
    make: [] as string[],
    remove: [] as Pod[],
    notes: [] as Note[],
    wait: undefined as Millis | undefined,
  };
  for (const { node, fit, pods } of places) {
    const staying = pods.filter((pod) => !isTerminating(pod));
    if (!fit.mayStay) plan.remove.push(...staying);
    else if (pods.length === 0 && fit.shouldRun) plan.make.push(node);
    else {
      const running: Pod[] = [];
      for (const pod of staying) {
        const end = endOf(pod, node, now);
        if (end === undefined) running.push(pod);
        else if (end.in > 0) plan.wait = Math.min(plan.wait ?? end.in, end.in);
        else {
          plan.remove.push(pod);
          plan.notes.push(end.note);
        }
      }
      plan.remove.push(...surplusOf(set, running, hash, now));
      if (running.length === 0 && fit.shouldRun && allowsSurge(set)) plan.make.push(node);
    }
  }
  return plan;
}

/** Whether a pod is at its end, when it goes, and what is said of it. */
function endOf(pod: Pod, node: string, now: Instant): { readonly in: Millis; readonly note: Note } | undefined {
  const { name, namespace, creationTimestamp } = pod.metadata;
  const who = `daemon pod ${namespace}/${name} on node ${node}`;
  if (pod.status?.phase === "Succeeded") {
    const message = `Found succeeded ${who}, will try to delete it`;
    return { in: 0, note: { type: "Normal", reason: "SucceededDaemonPod", message } };
  }
  if (pod.status?.phase !== "Failed") return undefined;
  const since = parseTime(creationTimestamp ?? "") ?? now - failedFor;
  const message = `Found failed ${who}, will try to kill it`;
  return { in: Math.max(0, since + failedFor - now), note: { type: "Warning", reason: "FailedDaemonPod", message } };
}

/** All but the oldest; where a new pod may stand beside an old one, all but the oldest of each, and the old one once the new one works. */
function surplusOf(set: DaemonSet, running: readonly Pod[], hash: string, now: Instant): readonly Pod[] {
  if (!allowsSurge(set)) return running.slice(1);
  const [young, ...youngSurplus] = running.filter((pod) => isUpdated(set, pod, hash));
  const [old, ...oldSurplus] = running.filter((pod) => !isUpdated(set, pod, hash));
  const isReplaced = young && old && (!isReady(old) || isAvailable(young, set.spec.minReadySeconds ?? 0, now));
  return [...youngSurplus, ...oldSurplus, ...(isReplaced ? [old] : [])];
}
