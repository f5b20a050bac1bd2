import { setTimeout as sleep } from "node:timers/promises";

/** Only what never happens takes that long; a busy machine is slow at what does. */
const defaultPatience = 90_000;

/** Waits for a state that no event announces: a test waits for a state, not for a time. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what = isSo.toString(),
  patience = defaultPatience,
): Promise<void> {
  for (const end = performance.now() + patience; !(await isSo()); await sleep(5)) {
    if (performance.now() > end) throw new Error(`not within ${patience / 1000} s: ${what}`);
  }
}
