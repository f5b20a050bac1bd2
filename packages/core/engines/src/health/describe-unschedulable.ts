import type { Aspect, NodeFault } from "@trivium/domain";

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
    wayOut: "let nodes take pods again with kubectl uncordon, or add one",
  },
  {
    pattern: /^node\(s\) had untolerated taint/,
    one: "has a taint that it does not tolerate",
    many: "have a taint that it does not tolerate",
    wayOut: "add the toleration, or remove the taint with kubectl taint",
    aspect: "scheduling",
  },
  {
    pattern: /node affinity\/selector/,
    one: "is not what its nodeSelector or node affinity asks for",
    many: "are not what its nodeSelector or node affinity asks for",
    wayOut: "label a node so, or correct the nodeSelector or the node affinity",
    aspect: "scheduling",
  },
  {
    pattern: /pods? (?:anti-)?affinity rules|pods anti-affinity/,
    one: "is ruled out by pod affinity or anti-affinity",
    many: "are ruled out by pod affinity or anti-affinity",
    wayOut: "loosen the pod affinity, or add a node",
    aspect: "scheduling",
  },
  {
    pattern: /topology spread/,
    one: "is ruled out by topology spread",
    many: "are ruled out by topology spread",
    wayOut: "loosen the topologySpreadConstraints, or add nodes",
  },
  {
    pattern: /free ports/,
    one: "has its host port taken",
    many: "have its host port taken",
    wayOut: "free the port, or ask for another",
  },
  {
    pattern: /^Too many pods/,
    one: "runs as many pods as it may",
    many: "run as many pods as they may",
    wayOut: "take pods away, or add a node",
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
  /** A resource that no node is known to have. */
  readonly nowhere?: string | undefined;
  /** Nodes that take no pods for now. */
  readonly nodes?: readonly NodeFault[] | undefined;
}

/** The scheduler's words for people: what is missing and what it said, and the way out. */
export function explainScheduling(message: string, { nowhere, nodes = [] }: SchedulingContext = {}): Scheduling {
  const summary = shortenScheduling(message);
  if (summary === "no nodes available to schedule pods") return { cause: "There is no node", remedy: "add one" };
  const [, all, reasons = ""] = /^0\/(\d+) nodes are available(?:: (.*))?$/s.exec(summary) ?? [];
  if (all === undefined)
    return { cause: summary || "No node was found", remedy: "add a node that fits, or change what the pod asks for" };
  if (nodes.length > 0 && nodes.length >= Number(all)) return ofNodes(nodes, summary);
  const described = reasons.split(/, (?=\d+ )/).flatMap((reason) => tell(reason) ?? []);
  const [first, ...others] = described;
  if (first === undefined) return { cause: summary, remedy: "add a node that fits, or change what the pod asks for" };
  const counts = [`${first.count} of ${all} nodes ${first.words}`, ...others.map((one) => `${one.count} ${one.words}`)];
  const isNowhere = described.some(({ resource }) => resource !== undefined && resource === nowhere);
  const { headline, wayOut } = isNowhere
    ? { headline: "No node fits", wayOut: `no node offers ${nowhere} at all: add one that does, or ask for none` }
    : conclude(described, isHopeless(message, all));
  const sick = nodes.length === 0 ? undefined : ofNodes(nodes, "");
  return {
    cause: `${headline}: ${counts.join(", ")}${sick === undefined ? "" : `; ${sick.cause}`} (${summary})`,
    remedy: sick === undefined ? wayOut : `${sick.remedy}; ${wayOut}`,
    ...(isNowhere ? {} : aspectOf(described)),
  };
}

/** The same as one sentence. */
export function describeUnschedulable(message: string, nowhere?: string): string {
  const { cause, remedy } = explainScheduling(message, { nowhere });
  return remedy === "" ? cause : `${cause}; ${remedy}`;
}

/** What is wrong with nodes that Kubernetes keeps pods from, and what to do about each. */
const nodeFaults: Readonly<Record<NodeFault["is"], { readonly are: string; readonly wayOut: string }>> = {
  "disk-pressure": { are: "is low on disk space", wayOut: "free disk space on" },
  "memory-pressure": { are: "is low on memory", wayOut: "free memory on" },
  "pid-pressure": { are: "is low on process ids", wayOut: "stop processes on" },
  "not-ready": { are: "is not ready", wayOut: "check the kubelet of" },
  unreachable: { are: "does not answer", wayOut: "check the machine and the network of" },
  "network-unavailable": { are: "has no pod network", wayOut: "check the network plugin on" },
  cordoned: { are: "is cordoned", wayOut: "run kubectl uncordon for" },
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
    cause: summary === "" ? cause : `No node takes pods: ${cause} (${summary})`,
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
  if (resource !== undefined) return { count, words: `${count === 1 ? "lacks" : "lack"} ${resource}`, resource };
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

function conclude(described: readonly Described[], hopeless: boolean): { headline: string; wayOut: string } {
  const lacking = described.flatMap(({ resource }) => resource ?? []);
  if (lacking.length < described.length) {
    const ways = new Set(described.flatMap(({ wayOut }) => wayOut ?? []));
    return {
      headline: "No node fits",
      wayOut: [...ways, ...(lacking.length > 0 ? [toSpace(lacking)] : [])].join("; "),
    };
  }
  if (!hopeless) return { headline: "No node has room", wayOut: toSpace(lacking) };
  const isForDevice = lacking.length === 1 && lacking.every(isDevice);
  const wayOut = isForDevice
    ? `no node offers as many ${lacking[0]}: add one that does, or ask for fewer or none`
    : "add a larger node, or ask for less in resources";
  return { headline: "No node is large enough", wayOut };
}

/** GPUs and the like have a name with a domain. */
const isDevice = (resource: string): boolean => resource.includes("/");

const toSpace = (lacking: readonly string[]): string =>
  `free some, add a node, or ask for ${lacking.every(isDevice) ? "fewer" : "less in resources"}`;
