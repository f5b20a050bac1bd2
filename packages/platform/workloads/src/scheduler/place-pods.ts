import type { Pod } from "@trivium/kube";
import { type Misfit, misfitOf, outlookOf } from "./filters.ts";
import { describeAll, describeNodes, inVain, noNodes, tally } from "./fit-message.ts";
import { Fleet, type ObservedFleet } from "./fleet.ts";
import { compareText, type Guest, guestOf, isOver } from "./guest.ts";
import type { Host } from "./host.ts";
import { type Preemption, planPreemption } from "./preemption.ts";
import { bestHost } from "./scores.ts";
import { Trial } from "./trial.ts";
import { chooseVolumes, selectedNode, type VolumeChoice } from "./volumes.ts";

/** What is decided about one waiting pod. */
export type Placement =
  | { readonly is: "bound"; readonly pod: Pod; readonly node: string }
  /** The place is taken, but its claims must get their volumes there first. */
  | { readonly is: "reserved"; readonly pod: Pod; readonly node: string; readonly choices: readonly VolumeChoice[] }
  | { readonly is: "unschedulable"; readonly pod: Pod; readonly message: string }
  /** Others leave a node for it. */
  | {
      readonly is: "nominated";
      readonly pod: Pod;
      readonly message: string;
      readonly node: string;
      readonly victims: readonly Pod[];
      /** Lesser pods that had been promised the place. */
      readonly withdrawn: readonly Pod[];
    }
  /** Nothing new: victims are still on their way out. */
  | { readonly is: "waiting"; readonly pod: Pod; readonly node: string };

/**
 * Decides for all waiting pods, one after the other, the most important first. Each sees what those before it have taken, so no
 * room is given twice.
 */
export function placePods(observed: ObservedFleet, schedulerName: string): readonly Placement[] {
  const waiting = observed.pods.filter((pod) => isWaiting(pod, schedulerName)).map(guestOf);
  if (waiting.length === 0) return [];
  const fleet = new Fleet(observed);
  return waiting.sort((a, b) => reservedFirst(a, b, fleet) || byTurn(a, b)).map((guest) => placePod(guest, fleet));
}

function isWaiting({ metadata, spec, status }: Pod, schedulerName: string): boolean {
  if (spec?.nodeName || metadata.deletionTimestamp !== undefined || isOver(status?.phase)) return false;
  return (spec?.schedulerName ?? "default-scheduler") === schedulerName && (spec?.schedulingGates ?? []).length === 0;
}

/** Whose claims are being served on a node keeps its place there. */
function reservedFirst(a: Guest, b: Guest, fleet: Fleet): number {
  return Number(hasReservation(b, fleet)) - Number(hasReservation(a, fleet));
}

function hasReservation({ claims, pod }: Guest, fleet: Fleet): boolean {
  return claims.some((name) => {
    const claim = fleet.claims.get(`${pod.metadata.namespace}/${name}`);
    return !claim?.spec?.volumeName && claim?.metadata.annotations?.[selectedNode] !== undefined;
  });
}

function byTurn(a: Guest, b: Guest): number {
  const [left, right] = [a.pod.metadata.creationTimestamp ?? "", b.pod.metadata.creationTimestamp ?? ""];
  return b.priority - a.priority || compareText(left, right) || compareText(a.key, b.key);
}

function placePod(guest: Guest, fleet: Fleet): Placement {
  const { pod } = guest;
  if (fleet.hosts.length === 0) return { is: "unschedulable", pod, message: noNodes };
  const trial = new Trial(guest, fleet);
  const outlook = outlookOf(trial);
  if (outlook.is === "hopeless") {
    fleet.withdraw(guest);
    return { is: "unschedulable", pod, message: describeAll(fleet.hosts.length, outlook.why) };
  }
  const { fitting, misfits } = lookEverywhere(trial, outlook.only);
  const host = bestHost(trial, fitting);
  if (host !== undefined) return settle(trial, host);
  const reasons = tally([...misfits.values()].map((misfit) => misfit.reasons));
  return withoutPlace(trial, misfits, describeNodes(fleet.hosts.length, reasons));
}

const notNamed: Misfit = { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], couldPreempt: false };

function lookEverywhere(
  trial: Trial,
  only: ReadonlySet<string> | undefined,
): { fitting: Host[]; misfits: Map<Host, Misfit> } {
  const misfits = new Map<Host, Misfit>();
  const promised = trial.fleet.byName.get(trial.guest.pod.status?.nominatedNodeName ?? "");
  if (promised !== undefined && misfitOf(trial, promised) === undefined) return { fitting: [promised], misfits };
  const fitting: Host[] = [];
  for (const host of trial.fleet.hosts) {
    const misfit = only === undefined || only.has(host.name) ? misfitOf(trial, host) : notNamed;
    if (misfit === undefined) fitting.push(host);
    else misfits.set(host, misfit);
  }
  return { fitting, misfits };
}

function settle({ guest, fleet, volumes }: Trial, host: Host): Placement {
  const { pod } = guest;
  const answer = chooseVolumes(volumes, host, fleet);
  const choices = answer.is === "fits" ? answer.choices : [];
  host.add(guest);
  fleet.withdraw(guest);
  for (const { volume } of choices) if (volume !== undefined) fleet.promised.add(volume.metadata.name ?? "");
  return choices.length === 0
    ? { is: "bound", pod, node: host.name }
    : { is: "reserved", pod, node: host.name, choices };
}

function withoutPlace({ guest, fleet }: Trial, misfits: ReadonlyMap<Host, Misfit>, why: string): Placement {
  const { pod } = guest;
  const preemption: Preemption = planPreemption(guest, fleet, misfits);
  switch (preemption.is) {
    case "under way":
      return { is: "waiting", pod, node: preemption.host.name };
    case "refused":
      fleet.withdraw(guest);
      return { is: "unschedulable", pod, message: `${why} ${inVain(preemption.why)}` };
    case "possible":
      return makeRoom(guest, fleet, preemption, why);
  }
}

/** The victims still take their room until they are gone; the place behind them is spoken for. */
function makeRoom(
  guest: Guest,
  fleet: Fleet,
  { host, victims }: Preemption & { is: "possible" },
  why: string,
): Placement {
  const before = [...(fleet.nominated.get(host.name)?.values() ?? [])].filter(
    (other) => other.priority < guest.priority,
  );
  for (const other of before) fleet.withdraw(other);
  fleet.withdraw(guest);
  fleet.nominate(guest, host.name);
  return {
    is: "nominated",
    pod: guest.pod,
    message: why,
    node: host.name,
    victims: victims.map(({ pod }) => pod),
    withdrawn: before.map(({ pod }) => pod),
  };
}
