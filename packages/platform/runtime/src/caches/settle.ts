import type { Millis } from "@trivium/std";
import type { Clock } from "../clock.ts";

/**
 * A pass right after a write could still read the world of before and repeat itself. So a key rests until the caches have seen
 * what its pass wrote. Caches always catch up; the limit is for a server whose versions cannot be compared.
 */
export const settleLimit: Millis = 30_000;

/** Resolves when all that was written was seen, at the limit, or when nobody looks any more. Nothing at all when nothing was written. */
export function settled(
  sightings: readonly Promise<void>[],
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> | undefined {
  if (sightings.length === 0 || stopping.aborted) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      stopping.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.schedule(settleLimit, done);
    stopping.addEventListener("abort", done);
    Promise.all(sightings).then(done);
  });
}
