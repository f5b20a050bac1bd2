import type { Millis } from "@trivium/std";
import type { Clock } from "./clock.ts";

/**
 * A pass right after a write could still read the world of before and repeat itself. So a key rests until the caches have seen
 * what its pass wrote. Caches always catch up; the limit is for a server whose versions cannot be compared.
 */
export const settleLimit: Millis = 30_000;

/** Resolves when all that was written was seen, or at the limit. Nothing at all when nothing was written. */
export function settled(sightings: readonly Promise<void>[], clock: Clock): Promise<void> | undefined {
  if (sightings.length === 0) return undefined;
  return new Promise((resolve) => {
    const cancel = clock.schedule(settleLimit, resolve);
    Promise.all(sightings).then(() => {
      cancel();
      resolve();
    });
  });
}
