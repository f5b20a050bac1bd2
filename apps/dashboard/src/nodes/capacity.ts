import type { AnyObject } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";

/** How much of something is requested by pods, of how much there is. */
export interface Amount {
  readonly used: number;
  readonly offered: number;
}

export interface PodUse {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly cpu: number;
  readonly memory: number;
  readonly gpus: number;
}

export interface NodeUse {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** In cores. */
  readonly cpu: Amount;
  /** In bytes. */
  readonly memory: Amount;
  readonly gpus: Amount;
  readonly pods: readonly PodUse[];
}

type Resources = Readonly<Record<string, string>>;
interface Container {
  readonly resources?: { readonly requests?: Resources; readonly limits?: Resources };
}
interface PodFields {
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly Container[] };
  readonly status?: { readonly phase?: string };
}
interface NodeFields {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly allocatable?: Resources;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** What runs on each node, and what it has. A pod that has ended uses nothing. */
export function summarizeNodes(nodes: readonly AnyObject[], pods: readonly AnyObject[]): NodeUse[] {
  const placed = Map.groupBy(pods.filter(isActive), (pod) => (pod as PodFields).spec?.nodeName ?? "");
  return nodes
    .map((node) => nodeUse(node, (placed.get(node.metadata.name ?? "") ?? []).map(podUse)))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Of all nodes together. */
export function addNodes(nodes: readonly NodeUse[]): Pick<NodeUse, "cpu" | "memory" | "gpus"> {
  const sum = (pick: (node: NodeUse) => Amount): Amount => ({
    used: nodes.reduce((total, node) => total + pick(node).used, 0),
    offered: nodes.reduce((total, node) => total + pick(node).offered, 0),
  });
  return { cpu: sum(({ cpu }) => cpu), memory: sum(({ memory }) => memory), gpus: sum(({ gpus }) => gpus) };
}

const isActive = (pod: AnyObject): boolean => !["Succeeded", "Failed"].includes((pod as PodFields).status?.phase ?? "");

function nodeUse(node: AnyObject, pods: readonly PodUse[]): NodeUse {
  const { spec, status } = node as NodeFields;
  const { allocatable = {}, conditions = [] } = status ?? {};
  const amount = (key: "cpu" | "memory" | "gpus", offered: number): Amount => ({
    used: pods.reduce((total, pod) => total + pod[key], 0),
    offered,
  });
  return {
    name: node.metadata.name ?? "",
    isReady: conditions.some((one) => one.type === "Ready" && one.status === "True"),
    isCordoned: spec?.unschedulable === true,
    labels: node.metadata.labels ?? {},
    cpu: amount("cpu", numberOf(allocatable.cpu)),
    memory: amount("memory", numberOf(allocatable.memory)),
    gpus: amount("gpus", gpusIn(allocatable)),
    pods,
  };
}

function podUse(pod: AnyObject): PodUse {
  const { spec, status } = pod as PodFields;
  const all = (spec?.containers ?? []).map(({ resources }) => ({ ...resources?.limits, ...resources?.requests }));
  const sum = (pick: (one: Resources) => number): number => all.reduce((total, one) => total + pick(one), 0);
  return {
    namespace: pod.metadata.namespace ?? "",
    name: pod.metadata.name ?? "",
    phase: status?.phase ?? "Pending",
    cpu: sum((one) => numberOf(one.cpu)),
    memory: sum((one) => numberOf(one.memory)),
    gpus: sum(gpusIn),
  };
}

/** Devices of any vendor: `nvidia.com/gpu`, `amd.com/gpu`, `gpu.intel.com/i915`. */
const gpusIn = (resources: Resources): number =>
  Object.entries(resources)
    .filter(([name]) => name.includes("/") && name.includes("gpu"))
    .reduce((total, [, amount]) => total + numberOf(amount), 0);

function numberOf(text: string | undefined): number {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}
