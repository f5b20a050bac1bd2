import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from "@trivium/kube";
import type { NamespaceLabels } from "../filters/pod-terms.ts";
import { NodeInfo } from "./node-info.ts";
import { compareText, isOver, type PodInfo, podInfoOf, takesResources } from "./pod-info.ts";

/** Everything the scheduler looks at, at one moment. */
export interface ObservedSnapshot {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly budgets: readonly PodDisruptionBudget[];
}

/** The nodes with their pods, changed by every placement: the next one sees what the last one took. */
export class Snapshot {
  readonly nodeInfos: readonly NodeInfo[];
  readonly byName: ReadonlyMap<string, NodeInfo>;
  readonly namespaces: NamespaceLabels;
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly storageClasses: ReadonlyMap<string, StorageClass>;
  readonly budgets: readonly PodDisruptionBudget[];
  /** Pods that wait for room which others are leaving, by node. */
  readonly nominated = new Map<string, Map<string, PodInfo>>();
  /** Volumes that were promised to a claim in this round. */
  readonly promised = new Set<string>();

  constructor(observed: ObservedSnapshot) {
    this.nodeInfos = observed.nodes.map((node) => new NodeInfo(node)).sort((a, b) => compareText(a.name, b.name));
    this.byName = new Map(this.nodeInfos.map((nodeInfo) => [nodeInfo.name, nodeInfo]));
    this.namespaces = new Map(observed.namespaces.map(({ metadata }) => [metadata.name ?? "", metadata.labels ?? {}]));
    this.claims = new Map(
      observed.claims.map((claim) => [`${claim.metadata.namespace}/${claim.metadata.name}`, claim]),
    );
    this.volumes = new Map(observed.volumes.map((volume) => [volume.metadata.name ?? "", volume]));
    this.storageClasses = new Map(observed.storageClasses.map((each) => [each.metadata.name ?? "", each]));
    this.budgets = observed.budgets.toSorted((a, b) => compareText(a.metadata.name ?? "", b.metadata.name ?? ""));
    for (const pod of observed.pods) this.#settle(pod);
  }

  #settle(pod: Pod): void {
    if (takesResources(pod)) this.byName.get(pod.spec?.nodeName ?? "")?.add(podInfoOf(pod));
    else if (pod.status?.nominatedNodeName && !isOver(pod.status.phase)) {
      this.nominate(podInfoOf(pod), pod.status.nominatedNodeName);
    }
  }

  nominate(podInfo: PodInfo, node: string): void {
    const podInfos = this.nominated.get(node) ?? new Map<string, PodInfo>();
    this.nominated.set(node, podInfos.set(podInfo.key, podInfo));
  }

  withdraw(podInfo: PodInfo): void {
    for (const podInfos of this.nominated.values()) podInfos.delete(podInfo.key);
  }

  /** Those who will take room on a node before this guest may. */
  aheadOf(podInfo: PodInfo, nodeInfo: NodeInfo): readonly PodInfo[] {
    const podInfos = this.nominated.get(nodeInfo.name);
    if (podInfos === undefined) return [];
    return [...podInfos.values()].filter(({ key, priority }) => key !== podInfo.key && priority >= podInfo.priority);
  }
}
