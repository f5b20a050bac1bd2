import type { DaemonSet, Node, Pod, PodSpec, Toleration } from "@trivium/kube";
import { allowsNode } from "../scheduler/filters/node-terms.ts";
import { isTolerated } from "../scheduler/filters/taints.ts";

const exists = (key: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({ key, operator: "Exists", effect });

/** A daemon's pod stays where other pods have to leave. */
const alwaysTolerated: readonly Toleration[] = [
  exists("node.kubernetes.io/not-ready", "NoExecute"),
  exists("node.kubernetes.io/unreachable", "NoExecute"),
  exists("node.kubernetes.io/disk-pressure", "NoSchedule"),
  exists("node.kubernetes.io/memory-pressure", "NoSchedule"),
  exists("node.kubernetes.io/pid-pressure", "NoSchedule"),
  exists("node.kubernetes.io/unschedulable", "NoSchedule"),
];
const ofHostNetwork = exists("node.kubernetes.io/network-unavailable", "NoSchedule");

/** The tolerations of a daemon's pod: its own, and those that every daemon has. */
export function tolerationsOf(spec: PodSpec | undefined): Toleration[] {
  const added = spec?.hostNetwork ? [...alwaysTolerated, ofHostNetwork] : alwaysTolerated;
  const own = (spec?.tolerations ?? []).filter(
    (mine) =>
      !added.some(
        ({ key, effect, operator }) => mine.key === key && mine.effect === effect && mine.operator === operator,
      ),
  );
  return [...own, ...added];
}

/** Whether a node should get a pod of the set, and whether one that is there may stay. */
export interface Fit {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

export function fitOf(set: DaemonSet, node: Node): Fit {
  const { spec } = set.spec.template;
  const isNamed = !spec?.nodeName || spec.nodeName === node.metadata.name;
  if (!isNamed || !allowsNode({ spec } as Pod, node)) return { shouldRun: false, mayStay: false };
  const tolerations = tolerationsOf(spec);
  const unwelcome = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, tolerations),
  );
  return { shouldRun: unwelcome.length === 0, mayStay: !unwelcome.some(({ effect }) => effect === "NoExecute") };
}

/** The node that a daemon's pod is on, or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms
    .flatMap(({ matchFields }) => matchFields ?? [])
    .find(({ key, operator }) => key === "metadata.name" && operator === "In")?.values?.[0];
}
