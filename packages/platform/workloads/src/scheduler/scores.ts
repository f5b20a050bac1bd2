import type { Attempt } from "./attempt.ts";
import { weighAffinity, weightAt } from "./filters/affinity-counts.ts";
import { matchesTerm } from "./filters/node-terms.ts";
import { defaultSpreadsOf, type Spread, spreadsOf } from "./filters/spread.ts";
import { unwelcomeTaints } from "./filters/taints.ts";
import type { NodeInfo } from "./snapshot/node-info.ts";
import type { PodInfo } from "./snapshot/pod-info.ts";

/** How good each host is, from 0 to 100. */
type Score = (attempt: Attempt, nodeInfos: readonly NodeInfo[]) => readonly number[];

const most = 100;

/** The greatest becomes 100, or 0 when little is good. */
function normalized(raw: readonly number[], order: "more is better" | "less is better"): number[] {
  const top = Math.max(0, ...raw);
  return raw.map((value) => {
    const share = top === 0 ? 0 : Math.trunc((most * value) / top);
    return order === "more is better" ? share : most - share;
  });
}

const fewTaints: Score = ({ podInfo: { pod } }, nodeInfos) =>
  normalized(
    nodeInfos.map(({ node }) => unwelcomeTaints(node.spec?.taints, pod.spec?.tolerations)),
    "less is better",
  );

const preferredNode: Score = ({ podInfo: { pod } }, nodeInfos) => {
  const requests = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const weightOf = ({ node }: NodeInfo) =>
    requests.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);
  return normalized(nodeInfos.map(weightOf), "more is better");
};

function sharesOf(nodeInfo: NodeInfo, more: PodInfo["likelyUse"]): number[] {
  return ["cpu", "memory"].flatMap((resource) => {
    const allocatable = nodeInfo.allocatable.get(resource) ?? 0;
    if (allocatable === 0) return [];
    return [Math.min(1, ((nodeInfo.likelyUse.get(resource) ?? 0) + (more.get(resource) ?? 0)) / allocatable)];
  });
}

const maxFree: Score = ({ podInfo }, nodeInfos) =>
  nodeInfos.map((nodeInfo) => {
    const shares = sharesOf(nodeInfo, podInfo.likelyUse);
    const free = shares.reduce((sum, share) => sum + Math.trunc((1 - share) * most), 0);
    return shares.length === 0 ? 0 : Math.trunc(free / shares.length);
  });

const nothing: PodInfo["likelyUse"] = new Map();

function evenness(nodeInfo: NodeInfo, more: PodInfo["likelyUse"]): number {
  const [cpu, memory] = sharesOf(nodeInfo, more);
  return cpu === undefined || memory === undefined ? most : Math.trunc((1 - Math.abs(cpu - memory) / 2) * most);
}

/** CPU and memory run out together: better than one of them early. */
const balanced: Score = ({ podInfo }, nodeInfos) =>
  nodeInfos.map((nodeInfo) => {
    const gain = evenness(nodeInfo, podInfo.likelyUse) - evenness(nodeInfo, nothing);
    return most / 2 + Math.trunc((most / 2 + gain) / 2);
  });

const spread: Score = (attempt, nodeInfos) => {
  const isAsked = (attempt.podInfo.pod.spec?.topologySpreadConstraints ?? []).length > 0;
  const spreads = isAsked
    ? spreadsOf(attempt.podInfo, attempt.snapshot, "ScheduleAnyway")
    : defaultSpreadsOf(attempt.podInfo, attempt.snapshot);
  if (spreads.length === 0) return nodeInfos.map(() => 0);
  const isIgnored = ({ labels }: NodeInfo) => isAsked && spreads.some(({ key }) => labels[key] === undefined);
  const raw = nodeInfos.map((nodeInfo) => (isIgnored(nodeInfo) ? undefined : crowdOf(nodeInfo, spreads, nodeInfos)));
  const counted = raw.filter((value) => value !== undefined);
  const [least, top] = [Math.min(...counted), Math.max(0, ...counted)];
  return raw.map((value) => {
    if (value === undefined) return 0;
    return top === 0 ? most : Math.trunc((most * (top + least - value)) / top);
  });
};

function crowdOf(nodeInfo: NodeInfo, spreads: readonly Spread[], nodeInfos: readonly NodeInfo[]): number {
  let sum = 0;
  for (const { key, domains, maxSkew } of spreads) {
    const domain = nodeInfo.labels[key];
    if (domain === undefined) continue;
    const size = new Set(nodeInfos.map(({ labels }) => labels[key])).size;
    sum += (domains.get(domain) ?? 0) * Math.log(size + 2) + (maxSkew - 1);
  }
  return Math.round(sum);
}

const company: Score = (attempt, nodeInfos) => {
  const weights = weighAffinity(attempt.podInfo, attempt.snapshot);
  if (weights.size === 0) return nodeInfos.map(() => 0);
  const raw = nodeInfos.map((nodeInfo) => weightAt(weights, nodeInfo));
  const [least, top] = [Math.min(...raw), Math.max(...raw)];
  return raw.map((value) => (top === least ? 0 : Math.trunc((most * (value - least)) / (top - least))));
};

const weighted: readonly (readonly [Score, number])[] = [
  [fewTaints, 3],
  [preferredNode, 2],
  [maxFree, 1],
  [spread, 2],
  [company, 2],
  [balanced, 1],
];

/** The best of the hosts that fit; of equals the first by name, so that the same facts give the same place. */
export function bestNodeInfo(attempt: Attempt, nodeInfos: readonly NodeInfo[]): NodeInfo | undefined {
  if (nodeInfos.length <= 1) return nodeInfos[0];
  const totals = nodeInfos.map(() => 0);
  for (const [score, weight] of weighted) {
    for (const [i, value] of score(attempt, nodeInfos).entries()) totals[i] = (totals[i] as number) + value * weight;
  }
  return nodeInfos[totals.indexOf(Math.max(...totals))];
}
