import type { Millis } from "@trivium/std";

const first = 60_000;
const slowest = 3_600_000;

/** How long to wait after so many tries that failed: a minute, then twice as long each time, at most an hour. */
export function retryDelay(attempts: number): Millis {
  if (attempts <= 0) return 0;
  return Math.min(first * 2 ** Math.min(attempts - 1, 30), slowest);
}
