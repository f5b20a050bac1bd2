import { Node, type Taint } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { formatTime, type Instant } from "@trivium/std";

type Effect = Taint["effect"];

/** What a condition of a node says to the scheduler. */
const bySituation: readonly { type: string; status: string; key: string; effects: readonly Effect[] }[] = [
  { type: "Ready", status: "False", key: "node.kubernetes.io/not-ready", effects: ["NoSchedule", "NoExecute"] },
  { type: "Ready", status: "Unknown", key: "node.kubernetes.io/unreachable", effects: ["NoSchedule", "NoExecute"] },
  { type: "MemoryPressure", status: "True", key: "node.kubernetes.io/memory-pressure", effects: ["NoSchedule"] },
  { type: "DiskPressure", status: "True", key: "node.kubernetes.io/disk-pressure", effects: ["NoSchedule"] },
  { type: "PIDPressure", status: "True", key: "node.kubernetes.io/pid-pressure", effects: ["NoSchedule"] },
  {
    type: "NetworkUnavailable",
    status: "True",
    key: "node.kubernetes.io/network-unavailable",
    effects: ["NoSchedule"],
  },
];
const cordoned = "node.kubernetes.io/unschedulable";
const ours = new Set([cordoned, ...bySituation.map(({ key }) => key)]);

/** Turns the conditions of a node, and that it is cordoned, into taints. Taints of others stay as they are. */
export const nodeTaintReconciler: Reconciler<Node, null> = {
  name: "node-controller",
  kind: Node,
  reads: [],
  writes: [Node],
  hasPlainConditions: true,
  observe: () => null,
  decide(node, _, now) {
    const status = node.status ?? {};
    const there = node.spec?.taints ?? [];
    const taints = [...there.filter(({ key }) => !ours.has(key)), ...wantedOn(node, now)];
    const isSame =
      taints.length === there.length && taints.every((taint) => there.some((other) => isEqual(taint, other)));
    if (isSame) return { do: "hold", status };
    const object: Node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: node.metadata.name ?? "" },
      spec: { taints },
    };
    return { do: "converge", children: [], patches: [{ patch: "fields", kind: Node, object }], status };
  },
};

const isEqual = (a: Taint, b: Taint): boolean =>
  a.key === b.key && a.effect === b.effect && (a.value ?? "") === (b.value ?? "");

function wantedOn({ spec, status }: Node, now: Instant): Taint[] {
  const conditions = status?.conditions ?? [];
  const found = bySituation.filter(({ type, status: state }) =>
    conditions.some((condition) => condition.type === type && condition.status === state),
  );
  const wanted = found.flatMap(({ key, effects }) => effects.map((effect): Taint => ({ key, effect })));
  if (spec?.unschedulable) wanted.push({ key: cordoned, effect: "NoSchedule" });
  return wanted.map(
    (taint) => spec?.taints?.find((other) => isEqual(taint, other)) ?? { ...taint, timeAdded: formatTime(now) },
  );
}
