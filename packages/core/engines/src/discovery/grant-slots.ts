/** Somebody who wants to do something of which only so much may happen at once. */
export interface SlotRequest {
  readonly key: string;
  /** Groups take turns: one that has many wishes does not keep the others waiting. */
  readonly group: string;
  /** Whether it has a slot and still uses it. */
  readonly isHeld: boolean;
  /** How often it has tried in vain: who never had a turn comes first. */
  readonly attempts: number;
  readonly since: string;
}

/** The keys that get a slot now. Slots are never taken from those who use them, even if there are too many. */
export function grantSlots(requests: readonly SlotRequest[], slots: number): Set<string> {
  const shares = new Map<string, number>();
  const count = ({ group }: SlotRequest) => shares.set(group, (shares.get(group) ?? 0) + 1);
  const held = requests.filter(({ isHeld }) => isHeld);
  for (const request of held) count(request);
  const lines = Map.groupBy(requests.filter(({ isHeld }) => !isHeld).sort(byTurn), ({ group }) => group);
  const given = new Set<string>();
  while (given.size < slots - held.length) {
    const firsts = [...lines.values()].flatMap(([first]) => first ?? []);
    const [next] = firsts.sort((a, b) => (shares.get(a.group) ?? 0) - (shares.get(b.group) ?? 0) || byTurn(a, b));
    if (next === undefined) return given;
    given.add(next.key);
    count(next);
    lines.get(next.group)?.shift();
  }
  return given;
}

const byTurn = (a: SlotRequest, b: SlotRequest): number =>
  a.attempts - b.attempts || compare(a.since, b.since) || compare(a.key, b.key);
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
