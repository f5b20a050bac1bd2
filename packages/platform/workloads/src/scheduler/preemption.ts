import { findCondition, matchesLabels, type PodDisruptionBudget, selectorOf } from "@trivium/kube";
import { type Misfit, misfitOf } from "./filters.ts";
import { describeNodes, tally } from "./fit-message.ts";
import type { Fleet } from "./fleet.ts";
import { byImportance, type Guest } from "./guest.ts";
import type { Host } from "./host.ts";
import { Trial } from "./trial.ts";

/** Who would have to leave a node for a guest. */
interface Sacrifice {
  readonly host: Host;
  /** The most important first. */
  readonly victims: readonly Guest[];
  /** How many of them a budget protects. */
  readonly violations: number;
}

export type Preemption =
  | { readonly is: "possible"; readonly host: Host; readonly victims: readonly Guest[] }
  | { readonly is: "refused"; readonly why: string }
  /** Room is being made already. */
  | { readonly is: "under way"; readonly host: Host };

const notHelpful = "Preemption is not helpful for scheduling";
const noVictims = "No preemption victims found for incoming pod";

export function planPreemption(guest: Guest, fleet: Fleet, misfits: ReadonlyMap<Host, Misfit>): Preemption {
  if (guest.pod.spec?.preemptionPolicy === "Never") {
    return { is: "refused", why: "not eligible due to preemptionPolicy=Never." };
  }
  const leaving = hostBeingLeft(guest, fleet, misfits);
  if (leaving !== undefined) return { is: "under way", host: leaving };
  const candidates: Sacrifice[] = [];
  const reasons = new Map<Host, readonly string[]>();
  for (const [host, misfit] of misfits) {
    if (!misfit.couldPreempt) continue;
    const found = victimsOn(guest, host, fleet);
    if ("victims" in found) candidates.push(found);
    else reasons.set(host, found.reasons);
  }
  const best = cheapest(candidates);
  if (best !== undefined) return { is: "possible", host: best.host, victims: best.victims };
  const others = fleet.hosts.filter((host) => !reasons.has(host)).map(() => [notHelpful]);
  return { is: "refused", why: describeNodes(fleet.hosts.length, tally([...reasons.values(), ...others])) };
}

/** The node that was named for the guest, while those who make room there are still on their way out. */
function hostBeingLeft(guest: Guest, fleet: Fleet, misfits: ReadonlyMap<Host, Misfit>): Host | undefined {
  const host = fleet.byName.get(guest.pod.status?.nominatedNodeName ?? "");
  if (host === undefined || misfits.get(host)?.couldPreempt === false) return undefined;
  const isLeaving = host.guests.values().some((other) => other.priority < guest.priority && isPreempted(other));
  return isLeaving ? host : undefined;
}

function isPreempted({ pod }: Guest): boolean {
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const target = findCondition(pod.status?.conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}

/** All lesser pods leave, then as many as possible come back: those that a budget protects first, then the most important. */
function victimsOn(guest: Guest, host: Host, fleet: Fleet): Sacrifice | Misfit {
  const lesser = [...host.guests.values()].filter(({ priority }) => priority < guest.priority).sort(byImportance);
  if (lesser.length === 0) return { reasons: [noVictims], couldPreempt: false };
  for (const other of lesser) host.remove(other);
  try {
    const misfit = misfitOf(new Trial(guest, fleet), host);
    if (misfit !== undefined) return misfit;
    const protectedOnes = protectedBy(fleet.budgets, lesser);
    const order = [
      ...lesser.filter((other) => protectedOnes.has(other)),
      ...lesser.filter((other) => !protectedOnes.has(other)),
    ];
    const victims = order.filter((other) => !canStay(other, guest, host, fleet));
    return {
      host,
      victims: victims.sort(byImportance),
      violations: victims.filter((other) => protectedOnes.has(other)).length,
    };
  } finally {
    for (const other of lesser) host.add(other);
  }
}

function canStay(other: Guest, guest: Guest, host: Host, fleet: Fleet): boolean {
  host.add(other);
  if (misfitOf(new Trial(guest, fleet), host) === undefined) return true;
  host.remove(other);
  return false;
}

/** Those whose leaving would be one disruption too many for a budget, the most important spared last. */
function protectedBy(budgets: readonly PodDisruptionBudget[], guests: readonly Guest[]): ReadonlySet<Guest> {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const protectedOnes = new Set<Guest>();
  for (const guest of guests) {
    for (const budget of budgets) {
      if (!isUnder(budget, guest)) continue;
      const left = (allowed.get(budget) ?? 0) - 1;
      allowed.set(budget, left);
      if (left < 0) protectedOnes.add(guest);
    }
  }
  return protectedOnes;
}

function isUnder(budget: PodDisruptionBudget, { pod }: Guest): boolean {
  const { labels, name = "", namespace } = pod.metadata;
  if (budget.metadata.namespace !== namespace || labels === undefined) return false;
  const selector = selectorOf(budget.spec?.selector);
  if (selector.requirements.length === 0 || !matchesLabels(selector, labels)) return false;
  return !Object.hasOwn(budget.status?.disruptedPods ?? {}, name);
}

/** Fewest broken budgets, then the least important loss, the smallest sum, the fewest pods, the latest start. */
function cheapest(candidates: readonly Sacrifice[]): Sacrifice | undefined {
  const costs = (each: Sacrifice): (number | string)[] => [
    each.violations,
    each.victims[0]?.priority ?? 0,
    each.victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    each.victims.length,
  ];
  return candidates.toSorted((a, b) => {
    const [left, right] = [costs(a), costs(b)];
    const i = left.findIndex((cost, at) => cost !== right[at]);
    if (i >= 0) return (left[i] as number) < (right[i] as number) ? -1 : 1;
    return earliestStart(a) > earliestStart(b) ? -1 : earliestStart(a) < earliestStart(b) ? 1 : 0;
  })[0];
}

/** When the first of the most important victims started: what ran longest is the greatest loss. */
function earliestStart({ victims }: Sacrifice): string {
  const top = victims[0]?.priority;
  const starts = victims.filter(({ priority }) => priority === top).map(({ pod }) => pod.status?.startTime ?? "9999");
  return starts.sort()[0] ?? "9999";
}
