import type { Aspect, NodeFault, Shortage } from "@trivium/domain";
import { formatShortages, isDevice, isNowhere } from "./format-shortages.ts";

/** Why nodes do not take a pod: the scheduler's pattern, what it means for one node and for several, and the way out. */
interface Obstacle {
  readonly pattern: RegExp;
  readonly one: string;
  readonly many: string;
  readonly wayOut: string;
  /** The part of a spec that the way out changes. */
  readonly aspect?: Aspect;
}

const obstacles: readonly Obstacle[] = [
  {
    pattern: /^node\(s\) were unschedulable/,
    one: "is cordoned",
    many: "are cordoned",
    wayOut: "uncordon a node with kubectl uncordon, or add one",
  },
  {
    pattern: /^node\(s\) had untolerated taint/,
    one: "has a taint that the pod does not tolerate",
    many: "have a taint that the pod does not tolerate",
    wayOut: "add the toleration, or remove the taint with kubectl taint",
    aspect: "scheduling",
  },
  {
    pattern: /node affinity\/selector/,
    one: "does not match the nodeSelector or node affinity of the pod",
    many: "do not match the nodeSelector or node affinity of the pod",
    wayOut: "label a node accordingly, or correct the nodeSelector or node affinity",
    aspect: "scheduling",
  },
  {
    pattern: /pods? (?:anti-)?affinity rules|pods anti-affinity/,
    one: "does not satisfy the pod affinity or anti-affinity rules",
    many: "do not satisfy the pod affinity or anti-affinity rules",
    wayOut: "relax the pod affinity rules, or add a node",
    aspect: "scheduling",
  },
  {
    pattern: /topology spread/,
    one: "does not satisfy the topology spread constraints",
    many: "do not satisfy the topology spread constraints",
    wayOut: "relax the topologySpreadConstraints, or add nodes",
  },
  {
    pattern: /free ports/,
    one: "has the requested host port in use",
    many: "have the requested host port in use",
    wayOut: "free the port, or request another one",
  },
  {
    pattern: /^Too many pods/,
    one: "has reached its maximum number of pods",
    many: "have reached their maximum number of pods",
    wayOut: "delete pods, or add a node",
  },
];

interface Described {
  readonly count: number;
  readonly words: string;
  /** What these nodes lack, where that is it. */
  readonly resource?: string;
  readonly wayOut?: string;
  readonly aspect?: Aspect | undefined;
}

export interface Scheduling {
  readonly cause: string;
  readonly remedy: string;
  /** The part of a spec that the remedy is about, where it is about one. */
  readonly aspect?: Aspect | undefined;
}

export interface SchedulingContext {
  /** How much the pod requests of what nodes lack, and how much they offer. */
  readonly shortages?: readonly Shortage[] | undefined;
  /** Nodes that take no pods for now. */
  readonly nodes?: readonly NodeFault[] | undefined;
}

/** The scheduler's words for people: what is missing and what it said, and the way out. */
export function explainScheduling(message: string, { shortages = [], nodes = [] }: SchedulingContext = {}): Scheduling {
  const summary = shortenScheduling(message);
  if (summary === "no nodes available to schedule pods")
    return { cause: "the cluster has no nodes", remedy: "add a node" };
  const [, all, reasons = ""] = /^0\/(\d+) nodes are available(?:: (.*))?$/s.exec(summary) ?? [];
  if (all === undefined) return { cause: summary || "no node is available", remedy: elsewhere };
  if (nodes.length > 0 && nodes.length >= Number(all)) return ofNodes(nodes, summary);
  const described = reasons.split(/, (?=\d+ )/).flatMap((reason) => tell(reason) ?? []);
  const [first, ...others] = described;
  if (first === undefined) return { cause: summary, remedy: elsewhere };
  const counts = [`${first.count} of ${all} nodes ${first.words}`, ...others.map((one) => `${one.count} ${one.words}`)];
  const nowhere = shortages.find(isNowhere);
  const hopeless = isHopeless(message, all);
  const { headline, wayOut } =
    nowhere === undefined ? conclude(described, { counts, hopeless }) : noNodeProvides(nowhere.resource);
  const amounts = formatShortages(nowhere === undefined ? shortages : [nowhere], hopeless);
  const sick = nodes.length === 0 ? undefined : ofNodes(nodes, "");
  return {
    cause: `${headline}${amounts === "" ? "" : `: ${amounts}`}${sick === undefined ? "" : `; ${sick.cause}`} (${summary})`,
    remedy: sick === undefined ? wayOut : `${sick.remedy}; ${wayOut}`,
    ...(nowhere === undefined ? aspectOf(described) : {}),
  };
}

/** The one wording for a resource, such as a GPU, that no node has at all. */
export const noNodeProvides = (resource: string): { readonly headline: string; readonly wayOut: string } => ({
  headline: `no node provides ${resource}`,
  wayOut: "add a node that provides it, or do not request it",
});

const elsewhere = "add a suitable node, or change the requirements of the pod";

/** The resources that nodes have too little of, as the scheduler names them. */
export function lackingResources(message: string): string[] {
  const names = [...shortenScheduling(message).matchAll(/\d+ Insufficient ([^\s,]+)/g)].map(([, name = ""]) => name);
  return [...new Set(names)];
}

/** The same as one sentence. */
export function describeUnschedulable(message: string, context?: SchedulingContext): string {
  const { cause, remedy } = explainScheduling(message, context);
  const sentence = `${cause.slice(0, 1).toUpperCase()}${cause.slice(1)}`;
  return remedy === "" ? sentence : `${sentence}; ${remedy}`;
}

/** What is wrong with nodes that Kubernetes keeps pods from, and what to do about each. */
const nodeFaults: Readonly<Record<NodeFault["is"], { readonly are: string; readonly wayOut: string }>> = {
  "disk-pressure": { are: "is low on disk space", wayOut: "free disk space on" },
  "memory-pressure": { are: "is low on memory", wayOut: "free memory on" },
  "pid-pressure": { are: "is low on process IDs", wayOut: "stop processes on" },
  "not-ready": { are: "is not ready", wayOut: "check the kubelet of" },
  unreachable: { are: "is unreachable", wayOut: "check the machine and the network of" },
  "network-unavailable": { are: "has no pod network", wayOut: "check the network plugin on" },
  cordoned: { are: "is cordoned", wayOut: "uncordon" },
};

function ofNodes(nodes: readonly NodeFault[], summary: string): Scheduling {
  const shown = nodes.slice(0, 5);
  const rest = nodes.length > shown.length ? ` and ${nodes.length - shown.length} more` : "";
  const causes = shown.map(({ node, is }) => `node ${node} ${nodeFaults[is].are}`);
  const ways = new Map<string, string[]>();
  for (const { node, is } of shown) ways.set(nodeFaults[is].wayOut, [...(ways.get(nodeFaults[is].wayOut) ?? []), node]);
  const remedy = [...ways].map(([way, names]) => `${way} node ${names.join(", ")}`).join("; ");
  const cause = `${causes.join(", ")}${rest}`;
  return {
    cause: summary === "" ? cause : `no node is available: ${cause} (${summary})`,
    remedy: `${remedy}, or add a node`,
  };
}

/** Without what was tried in vain to make room. */
export function shortenScheduling(message: string): string {
  return message.replace(/\s*\b(?:no new claims to deallocate|preemption:).*$/s, "").replace(/[.,\s]+$/, "");
}

function tell(reason: string): Described | undefined {
  const [, number = "", what = ""] = /^(\d+) (.*)$/s.exec(reason) ?? [];
  const count = Number(number);
  const resource = /^Insufficient (\S+)$/.exec(what)?.[1];
  if (resource !== undefined)
    return { count, words: `${count === 1 ? "has" : "have"} insufficient ${resource}`, resource };
  const obstacle = obstacles.find(({ pattern }) => pattern.test(what));
  if (obstacle === undefined) return undefined;
  const { wayOut, aspect } = obstacle;
  return { count, words: count === 1 ? obstacle.one : obstacle.many, wayOut, aspect };
}

function aspectOf(described: readonly Described[]): Pick<Scheduling, "aspect"> {
  const aspect = described.flatMap((one) => one.aspect ?? [])[0];
  return aspect === undefined ? {} : { aspect };
}

/** Whether even empty nodes would not do: then the scheduler says of all of them that pushing others away is no use. */
const isHopeless = (message: string, all: string): boolean =>
  message.includes(`available: ${all} Preemption is not helpful for scheduling`);

interface Findings {
  /** How many nodes each obstacle keeps out. */
  readonly counts: readonly string[];
  readonly hopeless: boolean;
}

function conclude(
  described: readonly Described[],
  { counts, hopeless }: Findings,
): { headline: string; wayOut: string } {
  const lacking = described.flatMap(({ resource }) => resource ?? []);
  if (lacking.length < described.length) {
    const ways = new Set(described.flatMap(({ wayOut }) => wayOut ?? []));
    return {
      headline: `no node is suitable: ${counts.join(", ")}`,
      wayOut: [...ways, ...(lacking.length > 0 ? [toSpace(lacking)] : [])].join("; "),
    };
  }
  const resources = lacking.join(" and ");
  if (!hopeless) return { headline: `no node has enough free ${resources}`, wayOut: toSpace(lacking) };
  const wayOut = `add a larger node, or request ${lessOf(lacking)}`;
  return { headline: `no node has enough ${resources}`, wayOut };
}

const lessOf = (lacking: readonly string[]): string => (lacking.every(isDevice) ? "fewer" : "less");

const toSpace = (lacking: readonly string[]): string => `free some, add a node, or request ${lessOf(lacking)}`;
