import { type Amounts, addTo, amountsOf, type Node } from "@trivium/kube";
import type { PodInfo } from "./pod-info.ts";

/** A node and the pods on it, as they would be if everything decided so far were done. */
export class NodeInfo {
  readonly name: string;
  readonly node: Node;
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Amounts;
  readonly podInfos = new Map<string, PodInfo>();
  readonly used = new Map<string, number>();
  readonly likelyUse = new Map<string, number>();

  constructor(node: Node) {
    this.name = node.metadata.name ?? "";
    this.node = node;
    this.labels = node.metadata.labels ?? {};
    this.allocatable = amountsOf(node.status?.allocatable ?? node.status?.capacity);
  }

  add(podInfo: PodInfo): void {
    if (this.podInfos.has(podInfo.key)) return;
    this.podInfos.set(podInfo.key, podInfo);
    addTo(this.used, podInfo.requests);
    addTo(this.likelyUse, podInfo.likelyUse);
  }

  remove(podInfo: PodInfo): void {
    if (!this.podInfos.delete(podInfo.key)) return;
    addTo(this.used, podInfo.requests, -1);
    addTo(this.likelyUse, podInfo.likelyUse, -1);
  }
}
