import { Node, Pod, type Taint } from "@trivium/kube";
import type { Note, Reconciler } from "@trivium/reconcile";
import { type Fact, type Instant, parseTime } from "@trivium/std";
import { tolerates } from "../scheduler/index.ts";

export interface ObservedTaintEviction {
  /** Taints of its node that drive pods away. */
  readonly taints: Fact<readonly Taint[]>;
}

/** Drives pods from nodes whose taints they do not tolerate, or no longer. */
export const taintEvictionReconciler: Reconciler<Pod, ObservedTaintEviction, typeof Node> = {
  name: "taint-eviction-controller",
  kind: Pod,
  reads: [Node],
  writes: [Pod],
  hasPlainConditions: true,
  observe({ spec }, reader) {
    const node = spec?.nodeName ? reader.get(Node, { name: spec.nodeName }) : undefined;
    if (node?.is !== "known") return { taints: node ?? { is: "absent" } };
    const taints = (node.value.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    return { taints: { is: "known", value: taints } };
  },
  decide(pod, { taints }, now) {
    const status = pod.status ?? {};
    const at = taints.is === "known" ? evictionOf(pod, taints.value) : undefined;
    if (at === undefined) return { do: "hold", status };
    if (at > now) return { do: "hold", status, recheckIn: at - now };
    const { namespace, name = "", uid = "" } = pod.metadata;
    const ref = { namespace, name };
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    };
    const message = `Marking for deletion Pod ${namespace}/${name}`;
    const events: Note = { type: "Normal", reason: "TaintManagerEviction", message };
    return {
      do: "converge",
      children: [],
      patches: [
        { patch: "status", kind: Pod, ref, status: { conditions: [condition] } },
        { patch: "delete", kind: Pod, ref, uid, events },
      ],
      status,
    };
  },
};

/** When the pod has to go: at once for a taint it does not tolerate, later for one that it tolerates for a while. */
function evictionOf({ spec }: Pod, taints: readonly Taint[]): Instant | undefined {
  let first: Instant | undefined;
  for (const taint of taints) {
    const fitting = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (fitting.length === 0) return 0;
    const limits = fitting.flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [tolerationSeconds],
    );
    if (limits.length === 0) continue;
    const at = (parseTime(taint.timeAdded ?? "") ?? 0) + Math.max(0, Math.min(...limits)) * 1_000;
    first = first === undefined ? at : Math.min(first, at);
  }
  return first;
}
