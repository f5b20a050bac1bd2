import type { ObservedQueue, QueueEntry } from "./observe.ts";

/** Where a service belongs in the queue; nothing for one that no longer waits. */
export interface QueuePlace {
  readonly entry: QueueEntry;
  readonly position?: number;
}

/** Positions from 1: the higher priority first, then the older service, then by name. */
export function lowerQueue({ entries }: ObservedQueue): QueuePlace[] {
  const waiting = entries.filter(({ isWaiting }) => isWaiting).sort(inOrder);
  const left = entries.filter(({ isWaiting }) => !isWaiting).sort(inOrder);
  return [...waiting.map((entry, index) => ({ entry, position: index + 1 })), ...left.map((entry) => ({ entry }))];
}

const inOrder = (a: QueueEntry, b: QueueEntry): number =>
  b.priority - a.priority || compare(a.createdAt, b.createdAt) || compare(keyOf(a), keyOf(b));

const keyOf = ({ namespace, name }: QueueEntry): string => `${namespace}/${name}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
