import { setTimeout as sleep } from "node:timers/promises";

/** Looks until it is so; says what was not, after a time that no machine needs. */
export async function until(what: string, reader: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 240_000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await reader()) return;
    } catch (error) {
      last = error;
    }
    await sleep(50);
  }
  throw new Error(`never: ${what}${last === undefined ? "" : ` (${String(last)})`}`);
}
