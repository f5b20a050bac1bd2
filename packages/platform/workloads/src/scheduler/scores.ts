import { weighAffinity, weightAt } from "./affinity-counts.ts";
import type { Guest } from "./guest.ts";
import type { Host } from "./host.ts";
import { matchesTerm } from "./node-terms.ts";
import { defaultSpreadsOf, type Spread, spreadsOf } from "./spread.ts";
import { unwelcomeTaints } from "./taints.ts";
import type { Trial } from "./trial.ts";

/** How good each host is, from 0 to 100. */
type Score = (trial: Trial, hosts: readonly Host[]) => readonly number[];

const most = 100;

/** The greatest becomes 100, or 0 when little is good. */
function normalized(raw: readonly number[], order: "more is better" | "less is better"): number[] {
  const top = Math.max(0, ...raw);
  return raw.map((value) => {
    const share = top === 0 ? 0 : Math.trunc((most * value) / top);
    return order === "more is better" ? share : most - share;
  });
}

const fewTaints: Score = ({ guest: { pod } }, hosts) =>
  normalized(
    hosts.map(({ node }) => unwelcomeTaints(node.spec?.taints, pod.spec?.tolerations)),
    "less is better",
  );

const preferredNode: Score = ({ guest: { pod } }, hosts) => {
  const requests = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const weightOf = ({ node }: Host) =>
    requests.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);
  return normalized(hosts.map(weightOf), "more is better");
};

function sharesOf(host: Host, more: Guest["likelyUse"]): number[] {
  return ["cpu", "memory"].flatMap((resource) => {
    const room = host.room.get(resource) ?? 0;
    if (room === 0) return [];
    return [Math.min(1, ((host.likelyUse.get(resource) ?? 0) + (more.get(resource) ?? 0)) / room)];
  });
}

const mostFree: Score = ({ guest }, hosts) =>
  hosts.map((host) => {
    const shares = sharesOf(host, guest.likelyUse);
    const free = shares.reduce((sum, share) => sum + Math.trunc((1 - share) * most), 0);
    return shares.length === 0 ? 0 : Math.trunc(free / shares.length);
  });

const nothing: Guest["likelyUse"] = new Map();

function evenness(host: Host, more: Guest["likelyUse"]): number {
  const [cpu, memory] = sharesOf(host, more);
  return cpu === undefined || memory === undefined ? most : Math.trunc((1 - Math.abs(cpu - memory) / 2) * most);
}

/** CPU and memory run out together: better than one of them early. */
const balanced: Score = ({ guest }, hosts) =>
  hosts.map((host) => {
    const gain = evenness(host, guest.likelyUse) - evenness(host, nothing);
    return most / 2 + Math.trunc((most / 2 + gain) / 2);
  });

const spread: Score = (trial, hosts) => {
  const isAsked = (trial.guest.pod.spec?.topologySpreadConstraints ?? []).length > 0;
  const spreads = isAsked
    ? spreadsOf(trial.guest, trial.fleet, "ScheduleAnyway")
    : defaultSpreadsOf(trial.guest, trial.fleet);
  if (spreads.length === 0) return hosts.map(() => 0);
  const isIgnored = ({ labels }: Host) => isAsked && spreads.some(({ key }) => labels[key] === undefined);
  const raw = hosts.map((host) => (isIgnored(host) ? undefined : crowdOf(host, spreads, hosts)));
  const counted = raw.filter((value) => value !== undefined);
  const [least, top] = [Math.min(...counted), Math.max(0, ...counted)];
  return raw.map((value) => {
    if (value === undefined) return 0;
    return top === 0 ? most : Math.trunc((most * (top + least - value)) / top);
  });
};

function crowdOf(host: Host, spreads: readonly Spread[], hosts: readonly Host[]): number {
  let sum = 0;
  for (const { key, domains, maxSkew } of spreads) {
    const domain = host.labels[key];
    if (domain === undefined) continue;
    const size = new Set(hosts.map(({ labels }) => labels[key])).size;
    sum += (domains.get(domain) ?? 0) * Math.log(size + 2) + (maxSkew - 1);
  }
  return Math.round(sum);
}

const company: Score = (trial, hosts) => {
  const weights = weighAffinity(trial.guest, trial.fleet);
  if (weights.size === 0) return hosts.map(() => 0);
  const raw = hosts.map((host) => weightAt(weights, host));
  const [least, top] = [Math.min(...raw), Math.max(...raw)];
  return raw.map((value) => (top === least ? 0 : Math.trunc((most * (value - least)) / (top - least))));
};

const weighted: readonly (readonly [Score, number])[] = [
  [fewTaints, 3],
  [preferredNode, 2],
  [mostFree, 1],
  [spread, 2],
  [company, 2],
  [balanced, 1],
];

/** The best of the hosts that fit; of equals the first by name, so that the same facts give the same place. */
export function bestHost(trial: Trial, hosts: readonly Host[]): Host | undefined {
  if (hosts.length <= 1) return hosts[0];
  const totals = hosts.map(() => 0);
  for (const [score, weight] of weighted) {
    for (const [i, value] of score(trial, hosts).entries()) totals[i] = (totals[i] as number) + value * weight;
  }
  return hosts[totals.indexOf(Math.max(...totals))];
}
