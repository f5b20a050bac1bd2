import { Attempt } from "../attempt.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import { hasCompany, meetsAny } from "./affinity-counts.ts";
import { collide } from "./host-ports.ts";
import { allowsNode, namedNodes } from "./node-terms.ts";
import { isTooMany } from "./spread.ts";
import { isTolerated, untoleratedTaint } from "./taints.ts";
import { chooseVolumes } from "./volumes.ts";

/** Why a node cannot have a pod, in the words of kube-scheduler. */
export interface FilterFailure {
  readonly reasons: readonly string[];
  /** Whether it could, were other pods gone. */
  readonly couldPreempt: boolean;
}

type Filter = (attempt: Attempt, nodeInfo: NodeInfo) => FilterFailure | undefined;

const never = (...reasons: string[]): FilterFailure => ({ reasons, couldPreempt: false });
const notNow = (...reasons: string[]): FilterFailure => ({ reasons, couldPreempt: true });

const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;

const isOpen: Filter = ({ podInfo: { pod } }, { node }) => {
  if (!node.spec?.unschedulable || isTolerated(cordon, pod.spec?.tolerations)) return undefined;
  return never("node(s) were unschedulable");
};

const isTaintTolerated: Filter = ({ podInfo: { pod } }, { node }) => {
  const taint = untoleratedTaint(node.spec?.taints, pod.spec?.tolerations);
  return taint === undefined ? undefined : never("node(s) had untolerated taint(s)");
};

const isWantedNode: Filter = ({ podInfo: { pod } }, { node }) =>
  allowsNode(pod, node) ? undefined : never("node(s) didn't match Pod's node affinity/selector");

const hasFreePorts: Filter = ({ podInfo }, { podInfos }) => {
  if (podInfo.ports.length === 0) return undefined;
  const isTaken = podInfos
    .values()
    .some(({ ports }) => ports.some((taken) => podInfo.ports.some((port) => collide(port, taken))));
  return isTaken ? notNow("node(s) didn't have free ports for the requested pod ports") : undefined;
};

const fitsResources: Filter = ({ podInfo }, { allocatable, used, podInfos }) => {
  const reasons: string[] = [];
  let isBeyond = false;
  if (podInfos.size + 1 > (allocatable.get("pods") ?? 0)) reasons.push("Too many pods");
  for (const [resource, wanted] of podInfo.requests) {
    const all = allocatable.get(resource) ?? 0;
    if (wanted === 0 || wanted <= all - (used.get(resource) ?? 0)) continue;
    reasons.push(`Insufficient ${resource}`);
    if (wanted > all) isBeyond = true;
  }
  if (reasons.length === 0) return undefined;
  return isBeyond ? never(...reasons) : notNow(...reasons);
};

const isClaimFree: Filter = (attempt) =>
  attempt.isClaimTaken
    ? notNow(
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
      )
    : undefined;

const canHaveVolumes: Filter = (attempt, nodeInfo) => {
  const answer = chooseVolumes(attempt.volumes, nodeInfo, attempt.snapshot);
  return answer.is === "fits" ? undefined : never(...answer.reasons);
};

const unevenly = "node(s) didn't match pod topology spread constraints";

const isSpread: Filter = (attempt, { labels }) => {
  for (const spread of attempt.spreads) {
    const domain = labels[spread.key];
    if (domain === undefined) return never(`${unevenly} (missing required label)`);
    if (isTooMany(spread, domain)) return notNow(unevenly);
  }
  return undefined;
};

const isGoodCompany: Filter = ({ podInfo, affinity, snapshot }, nodeInfo) => {
  if (!hasCompany(podInfo, nodeInfo, affinity, snapshot)) return never("node(s) didn't match pod affinity rules");
  if (meetsAny(affinity.apart, nodeInfo)) return notNow("node(s) didn't match pod anti-affinity rules");
  if (meetsAny(affinity.unwanted, nodeInfo)) return notNow("node(s) didn't satisfy existing pods anti-affinity rules");
  return undefined;
};

/** In the order of kube-scheduler: of several faults of a node the first is told. */
const filters: readonly Filter[] = [
  isOpen,
  isTaintTolerated,
  isWantedNode,
  hasFreePorts,
  fitsResources,
  isClaimFree,
  canHaveVolumes,
  isSpread,
  isGoodCompany,
];

/** Why the host cannot have the guest, with those who are ahead of it and without them. */
export function filterFailureOf(attempt: Attempt, nodeInfo: NodeInfo): FilterFailure | undefined {
  const { podInfo, snapshot } = attempt;
  const ahead = snapshot.aheadOf(podInfo, nodeInfo);
  if (ahead.length === 0) return firstFilterFailure(attempt, nodeInfo);
  for (const other of ahead) nodeInfo.add(other);
  const crowded = firstFilterFailure(new Attempt(podInfo, snapshot), nodeInfo);
  for (const other of ahead) nodeInfo.remove(other);
  return crowded ?? firstFilterFailure(attempt, nodeInfo);
}

function firstFilterFailure(attempt: Attempt, nodeInfo: NodeInfo): FilterFailure | undefined {
  for (const filter of filters) {
    const filterFailure = filter(attempt, nodeInfo);
    if (filterFailure !== undefined) return filterFailure;
  }
  return undefined;
}

/** What is to be said before any node is looked at: that none can help, or that only some are meant. */
export type PreFilterResult =
  | { readonly is: "hopeless"; readonly why: string }
  | { readonly is: "open"; readonly only: ReadonlySet<string> | undefined };

export function preFilterResultOf(attempt: Attempt): PreFilterResult {
  const only = namedNodes(attempt.podInfo.pod);
  if (only?.size === 0) return { is: "hopeless", why: "pod affinity terms conflict" };
  const { refused } = attempt.volumes;
  return refused === undefined ? { is: "open", only } : { is: "hopeless", why: refused };
}
