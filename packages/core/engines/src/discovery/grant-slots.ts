/** Somebody who wants to do something of which only so much may happen at once. */
export interface SlotWish {
  readonly key: string;
  /** Whether it has a slot and still uses it. */
  readonly isHeld: boolean;
  /** How often it has tried in vain: who never had a turn comes first. */
  readonly attempts: number;
  readonly since: string;
}

/** The keys that get a slot now. Slots are never taken from those who use them, even if there are too many. */
export function grantSlots(wishes: readonly SlotWish[], slots: number): Set<string> {
  const held = wishes.filter(({ isHeld }) => isHeld);
  const waiting = wishes.filter(({ isHeld }) => !isHeld).sort(byTurn);
  return new Set(waiting.slice(0, Math.max(0, slots - held.length)).map(({ key }) => key));
}

const byTurn = (a: SlotWish, b: SlotWish): number =>
  a.attempts - b.attempts || compare(a.since, b.since) || compare(a.key, b.key);
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
