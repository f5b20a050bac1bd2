import type { Transport } from "@trivium/kube";

export interface RateLimit {
  /** Calls a second, in the long run. */
  readonly qps: number;
  /** Calls that may go out at once after a quiet time. */
  readonly burst: number;
}

/** A token bucket in front of a transport: calls wait their turn, first come first served. */
export function withRateLimit(transport: Transport, limit: RateLimit): Transport {
  const turn = tokenBucket(limit);
  return async (request) => {
    const wait = turn(performance.now());
    if (wait > 0) await pause(wait, request.signal);
    return transport(request);
  };
}

/** Takes one token at a time and says how long to wait for it. A token may be taken before it is there: that is the queue. */
export function tokenBucket({ qps, burst }: RateLimit): (now: number) => number {
  let tokens = burst;
  let at = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + (Math.max(0, now - at) * qps) / 1000);
    at = now;
    tokens -= 1;
    return tokens >= 0 ? 0 : (-tokens * 1000) / qps;
  };
}

/** Waits, unless the caller gives up first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
