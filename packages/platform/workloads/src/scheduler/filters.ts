import { hasCompany, meetsAny } from "./affinity-counts.ts";
import type { Host } from "./host.ts";
import { collide } from "./host-ports.ts";
import { allowsNode, namedNodes } from "./node-terms.ts";
import { isTooMany } from "./spread.ts";
import { isTolerated, untoleratedTaint } from "./taints.ts";
import { Trial } from "./trial.ts";
import { chooseVolumes } from "./volumes.ts";

/** Why a node cannot have a pod, in the words of kube-scheduler. */
export interface Misfit {
  readonly reasons: readonly string[];
  /** Whether it could, were other pods gone. */
  readonly couldPreempt: boolean;
}

type Filter = (trial: Trial, host: Host) => Misfit | undefined;

const never = (...reasons: string[]): Misfit => ({ reasons, couldPreempt: false });
const notNow = (...reasons: string[]): Misfit => ({ reasons, couldPreempt: true });

const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;

const isOpen: Filter = ({ guest: { pod } }, { node }) => {
  if (!node.spec?.unschedulable || isTolerated(cordon, pod.spec?.tolerations)) return undefined;
  return never("node(s) were unschedulable");
};

const isTaintTolerated: Filter = ({ guest: { pod } }, { node }) => {
  const taint = untoleratedTaint(node.spec?.taints, pod.spec?.tolerations);
  return taint === undefined ? undefined : never("node(s) had untolerated taint(s)");
};

const isWantedNode: Filter = ({ guest: { pod } }, { node }) =>
  allowsNode(pod, node) ? undefined : never("node(s) didn't match Pod's node affinity/selector");

const hasFreePorts: Filter = ({ guest }, { guests }) => {
  if (guest.ports.length === 0) return undefined;
  const isTaken = guests
    .values()
    .some(({ ports }) => ports.some((taken) => guest.ports.some((port) => collide(port, taken))));
  return isTaken ? notNow("node(s) didn't have free ports for the requested pod ports") : undefined;
};

const hasRoom: Filter = ({ guest }, { room, used, guests }) => {
  const reasons: string[] = [];
  let isBeyond = false;
  if (guests.size + 1 > (room.get("pods") ?? 0)) reasons.push("Too many pods");
  for (const [resource, wanted] of guest.requests) {
    const all = room.get(resource) ?? 0;
    if (wanted === 0 || wanted <= all - (used.get(resource) ?? 0)) continue;
    reasons.push(`Insufficient ${resource}`);
    if (wanted > all) isBeyond = true;
  }
  if (reasons.length === 0) return undefined;
  return isBeyond ? never(...reasons) : notNow(...reasons);
};

const isClaimFree: Filter = (trial) =>
  trial.isClaimTaken
    ? notNow(
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
      )
    : undefined;

const canHaveVolumes: Filter = (trial, host) => {
  const answer = chooseVolumes(trial.volumes, host, trial.fleet);
  return answer.is === "fits" ? undefined : never(...answer.reasons);
};

const unevenly = "node(s) didn't match pod topology spread constraints";

const isSpread: Filter = (trial, { labels }) => {
  for (const spread of trial.spreads) {
    const domain = labels[spread.key];
    if (domain === undefined) return never(`${unevenly} (missing required label)`);
    if (isTooMany(spread, domain)) return notNow(unevenly);
  }
  return undefined;
};

const isGoodCompany: Filter = ({ guest, affinity, fleet }, host) => {
  if (!hasCompany(guest, host, affinity, fleet)) return never("node(s) didn't match pod affinity rules");
  if (meetsAny(affinity.apart, host)) return notNow("node(s) didn't match pod anti-affinity rules");
  if (meetsAny(affinity.unwanted, host)) return notNow("node(s) didn't satisfy existing pods anti-affinity rules");
  return undefined;
};

/** In the order of kube-scheduler: of several faults of a node the first is told. */
const filters: readonly Filter[] = [
  isOpen,
  isTaintTolerated,
  isWantedNode,
  hasFreePorts,
  hasRoom,
  isClaimFree,
  canHaveVolumes,
  isSpread,
  isGoodCompany,
];

/** Why the host cannot have the guest, with those who are ahead of it and without them. */
export function misfitOf(trial: Trial, host: Host): Misfit | undefined {
  const { guest, fleet } = trial;
  const ahead = fleet.aheadOf(guest, host);
  if (ahead.length === 0) return firstMisfit(trial, host);
  for (const other of ahead) host.add(other);
  const crowded = firstMisfit(new Trial(guest, fleet), host);
  for (const other of ahead) host.remove(other);
  return crowded ?? firstMisfit(trial, host);
}

function firstMisfit(trial: Trial, host: Host): Misfit | undefined {
  for (const filter of filters) {
    const misfit = filter(trial, host);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/** What is to be said before any node is looked at: that none can help, or that only some are meant. */
export type Outlook =
  | { readonly is: "hopeless"; readonly why: string }
  | { readonly is: "open"; readonly only: ReadonlySet<string> | undefined };

export function outlookOf(trial: Trial): Outlook {
  const only = namedNodes(trial.guest.pod);
  if (only?.size === 0) return { is: "hopeless", why: "pod affinity terms conflict" };
  const { refused } = trial.volumes;
  return refused === undefined ? { is: "open", only } : { is: "hopeless", why: refused };
}
