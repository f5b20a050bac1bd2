import { lastWarning, type NodeFault, type ObservedClaim, type ObservedPod } from "@trivium/domain";
import { Node, PersistentVolumeClaim, type Pod, StorageClass } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { nodeHardware } from "../../hardware/node-hardware.ts";
import { lackingResources } from "../diagnosis/describe-unschedulable.ts";
import { findShortages } from "./find-shortages.ts";
import { observeProbes } from "./observe-probes.ts";
import { summarizePod } from "./summarize-pod.ts";

export const podReads = [Node, PersistentVolumeClaim, StorageClass] as const;
type PodReader = Reader<(typeof podReads)[number]>;

/** Reads a pod, and whatever else is needed to say why it is not ready. `template` is as in `summarizePod`. */
export function observePod(pod: Pod, template: string, reader: PodReader): ObservedPod {
  const observed = summarizePod(pod, template);
  if (observed.isReady || observed.isLeaving || observed.failure !== undefined) return observed;
  if (observed.unschedulable !== undefined) {
    if (/volume|persistentvolumeclaim/i.test(observed.unschedulable))
      return { ...observed, claims: observeClaims(pod, reader) };
    const faults = /taint|unschedulable/.test(observed.unschedulable) ? { nodeFaults: faultsOfNodes(reader) } : {};
    return { ...observed, ...faults, ...observeShortages(pod, observed.unschedulable, reader) };
  }
  return isSilent(observed) ? { ...observed, ...observeWarning(pod, reader) } : observed;
}

function observeShortages(pod: Pod, message: string, reader: Reader<typeof Node>): Pick<ObservedPod, "shortages"> {
  const lacking = lackingResources(message);
  const nodes = lacking.length === 0 ? [] : reader.listParts(Node, {}, nodeHardware);
  return nodes.length === 0 ? {} : { shortages: findShortages(pod, lacking, nodes) };
}

/** On a node, and neither its image nor its configuration says why it does not run. */
function isSilent({ node, phase, containers }: ObservedPod): boolean {
  if (node === undefined || phase === "Succeeded" || phase === "Failed") return false;
  const isPreparing = containers.some(({ role, state }) => role === "prepares" && state.is === "running");
  const isWaiting = containers.some(
    ({ state }) =>
      state.is === "waiting" &&
      !["ContainerCreating", "PodInitializing", "CrashLoopBackOff", ""].includes(state.reason),
  );
  return !isPreparing && !isWaiting;
}

function observeWarning(pod: Pod, reader: PodReader): Pick<ObservedPod, "warning" | "probes" | "declaredPorts"> {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return { warning: reader.ask(lastWarning, { namespace, kind: "Pod", name, uid }), ...observeProbes(pod) };
}

const isDefault = "storageclass.kubernetes.io/is-default-class";

function observeClaims({ metadata: { namespace = "" }, spec }: Pod, reader: PodReader): ObservedClaim[] {
  const names = (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
  return [...new Set(names)].sort().flatMap((name): ObservedClaim[] => {
    const claim = reader.get(PersistentVolumeClaim, { namespace, name });
    if (claim.is === "absent") return [{ name, fault: "no claim" }];
    if (claim.is !== "known" || claim.value.status?.phase === "Bound") return [];
    const fault = faultOfClass(claim.value.spec?.storageClassName, reader);
    const { uid = "" } = claim.value.metadata;
    const { storageClassName: storageClass } = claim.value.spec ?? {};
    return [
      {
        name,
        ...(storageClass ? { storageClass } : {}),
        ...(fault === undefined
          ? { warning: reader.ask(lastWarning, { namespace, kind: "PersistentVolumeClaim", name, uid }) }
          : { fault }),
      },
    ];
  });
}

/** A claim with an empty class wants a volume that somebody provides, and no class. */
function faultOfClass(
  name: string | undefined,
  reader: Reader<typeof StorageClass>,
): ObservedClaim["fault"] | undefined {
  if (name === "") return undefined;
  if (name !== undefined) return reader.get(StorageClass, { name }).is === "absent" ? "no class" : undefined;
  const classes = reader.list(StorageClass, {});
  return classes.some(({ metadata }) => metadata.annotations?.[isDefault] === "true") ? undefined : "no default class";
}

const marks = [
  "disk-pressure",
  "memory-pressure",
  "pid-pressure",
  "not-ready",
  "unreachable",
  "network-unavailable",
] as const;

/** Taints that Kubernetes itself puts on nodes: users should neither tolerate nor remove them by hand. */
const faultOfNode: Part<Node, NodeFault | undefined> = {
  name: "fault",
  of: ({ metadata: { name: node = "" }, spec }) => {
    const keys = (spec?.taints ?? []).map(({ key }) => key);
    const is = marks.find((mark) => keys.includes(`node.kubernetes.io/${mark}`));
    if (is !== undefined) return { node, is };
    return spec?.unschedulable === true ? { node, is: "cordoned" } : undefined;
  },
};

const faultsOfNodes = (reader: Reader<typeof Node>): NodeFault[] =>
  [...reader.listParts(Node, {}, faultOfNode)].sort((a, b) => (a.node < b.node ? -1 : 1));
