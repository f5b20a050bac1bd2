import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StorageClass,
} from "@trivium/kube";
import { compareText, type Guest, guestOf, isOver, takesRoom } from "./guest.ts";
import { Host } from "./host.ts";
import type { NamespaceLabels } from "./pod-terms.ts";

/** Everything the scheduler looks at, at one moment. */
export interface ObservedFleet {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly budgets: readonly PodDisruptionBudget[];
}

/** The nodes with their pods, changed by every placement: the next one sees what the last one took. */
export class Fleet {
  readonly hosts: readonly Host[];
  readonly byName: ReadonlyMap<string, Host>;
  readonly namespaces: NamespaceLabels;
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly storageClasses: ReadonlyMap<string, StorageClass>;
  readonly budgets: readonly PodDisruptionBudget[];
  /** Pods that wait for room which others are leaving, by node. */
  readonly nominated = new Map<string, Map<string, Guest>>();
  /** Volumes that were promised to a claim in this round. */
  readonly promised = new Set<string>();

  constructor(observed: ObservedFleet) {
    this.hosts = observed.nodes.map((node) => new Host(node)).sort((a, b) => compareText(a.name, b.name));
    this.byName = new Map(this.hosts.map((host) => [host.name, host]));
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
    if (takesRoom(pod)) this.byName.get(pod.spec?.nodeName ?? "")?.add(guestOf(pod));
    else if (pod.status?.nominatedNodeName && !isOver(pod.status.phase)) {
      this.nominate(guestOf(pod), pod.status.nominatedNodeName);
    }
  }

  nominate(guest: Guest, node: string): void {
    const guests = this.nominated.get(node) ?? new Map<string, Guest>();
    this.nominated.set(node, guests.set(guest.key, guest));
  }

  withdraw(guest: Guest): void {
    for (const guests of this.nominated.values()) guests.delete(guest.key);
  }

  /** Those who will take room on a node before this guest may. */
  aheadOf(guest: Guest, host: Host): readonly Guest[] {
    const guests = this.nominated.get(host.name);
    if (guests === undefined) return [];
    return [...guests.values()].filter(({ key, priority }) => key !== guest.key && priority >= guest.priority);
  }
}
