import type { Node } from "@trivium/kube";
import { type Amounts, addTo, amountsOf } from "./amounts.ts";
import type { Guest } from "./guest.ts";

/** A node and the pods on it, as they would be if everything decided so far were done. */
export class Host {
  readonly name: string;
  readonly node: Node;
  readonly labels: Readonly<Record<string, string>>;
  readonly room: Amounts;
  readonly guests = new Map<string, Guest>();
  readonly used = new Map<string, number>();
  readonly likelyUse = new Map<string, number>();

  constructor(node: Node) {
    this.name = node.metadata.name ?? "";
    this.node = node;
    this.labels = node.metadata.labels ?? {};
    this.room = amountsOf(node.status?.allocatable ?? node.status?.capacity);
  }

  add(guest: Guest): void {
    if (this.guests.has(guest.key)) return;
    this.guests.set(guest.key, guest);
    addTo(this.used, guest.requests);
    addTo(this.likelyUse, guest.likelyUse);
  }

  remove(guest: Guest): void {
    if (!this.guests.delete(guest.key)) return;
    addTo(this.used, guest.requests, -1);
    addTo(this.likelyUse, guest.likelyUse, -1);
  }
}
