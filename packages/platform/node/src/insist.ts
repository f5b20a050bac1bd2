import { ApiError } from "@trivium/kube";
import { type Clock, waitFor } from "@trivium/runtime";
import type { Millis } from "@trivium/std";

export interface Insistence {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onError(error: unknown): void;
}

const firstPause: Millis = 250;
const longestPause: Millis = 30_000;

/** Makes a call until it succeeds. What the server refuses for good is thrown; what may pass is tried again, ever more slowly. */
export async function insist<T>(call: () => Promise<T>, { clock, signal, onError }: Insistence): Promise<T> {
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      onError(error);
      await waitFor(clock, pause, signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code } = error;
  return code === 0 || code === 409 || code === 429 || code >= 500;
}
