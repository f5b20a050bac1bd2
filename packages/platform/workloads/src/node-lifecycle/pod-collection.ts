import { findCondition, Node, Pod } from "@trivium/kube";
import type { Patch, Reconciler } from "@trivium/reconcile";
import { type Fact, type Instant, parseTime } from "@trivium/std";

export interface ObservedPodCollection {
  /** The node the pod is on. */
  readonly node: Fact<string>;
}

/** So long a node may be away before its pods are given up. */
const quarantine = 40_000;
const reason = "DeletionByPodGC";

/** Gives up pods whose node does not exist any more: nobody is left to end them. */
export const podCollectionReconciler: Reconciler<Pod, ObservedPodCollection, typeof Node> = {
  name: "pod-garbage-collector",
  kind: Pod,
  reads: [Node],
  writes: [Pod],
  hasPlainConditions: true,
  observe({ spec }, reader) {
    if (!spec?.nodeName) return { node: { is: "known", value: "" } };
    const node = reader.get(Node, { name: spec.nodeName });
    return { node: node.is === "known" ? { is: "known", value: spec.nodeName } : node };
  },
  decide(pod, { node }, now) {
    const status = pod.status ?? {};
    if (node.is !== "absent") return { do: "hold", status };
    const { namespace, name = "", uid = "" } = pod.metadata;
    const ref = { namespace, name };
    const since = markedAt(pod);
    if (since !== undefined && since + quarantine <= now) {
      return {
        do: "converge",
        children: [],
        patches: [{ patch: "delete", kind: Pod, ref, uid, graceSeconds: 0 }],
        status,
      };
    }
    if (since !== undefined) return { do: "hold", status, recheckIn: since + quarantine - now };
    // The mark is also the memory of when it began.
    const condition = { type: "DisruptionTarget", status: "True", reason, message: "PodGC: node no longer exists" };
    const patches: Patch[] = [{ patch: "status", kind: Pod, ref, status: { conditions: [condition] } }];
    return { do: "converge", children: [], patches, status };
  },
};

function markedAt({ status }: Pod): Instant | undefined {
  const mark = findCondition(status?.conditions, "DisruptionTarget");
  return mark?.reason === reason ? parseTime(mark.lastTransitionTime ?? "") : undefined;
}
