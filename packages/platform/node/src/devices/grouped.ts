import type { Accelerator } from "./accelerators.ts";

/** Cards of one kind counted together, in the order in which the kinds first appear. */
export function grouped(cards: readonly Accelerator[]): Accelerator[] {
  const groups = new Map<string, Accelerator>();
  for (const card of cards) {
    const key = `${card.vendor} ${card.product} ${card.memoryGiB} ${card.deviceId ?? ""}`;
    const before = groups.get(key);
    groups.set(key, { ...card, count: (before?.count ?? 0) + card.count });
  }
  return [...groups.values()];
}
