/** How many tokens two prompts have in common from the start. */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** What a free slot still knows of its last request. */
export interface CachedSlot {
  readonly id: number;
  readonly cached: ArrayLike<number>;
  readonly lastUsed: number;
}

/** Below this share of the prompt a common start is chance, such as the first words of every chat. */
const similarity = 0.1;

/** The free slot that knows most of the prompt; else the one that was used the longest time ago, whose cache is worth least. */
export function chooseSlot<T extends CachedSlot>(free: readonly T[], prompt: ArrayLike<number>): T | undefined {
  let best: T | undefined;
  let most = prompt.length * similarity;
  for (const slot of free) {
    const common = commonPrefix(slot.cached, prompt);
    if (common <= most) continue;
    best = slot;
    most = common;
  }
  return (
    best ??
    free.reduce<T | undefined>(
      (oldest, slot) => (oldest && oldest.lastUsed <= slot.lastUsed ? oldest : slot),
      undefined,
    )
  );
}
