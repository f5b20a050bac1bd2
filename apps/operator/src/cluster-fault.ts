import { ApiError } from "@trivium/kube";
import { backoffDelay, type Clock, waitFor } from "@trivium/runtime";
import { untilAborted } from "@trivium/std";
import type { StartState } from "./start-state.ts";

/** What the cluster lacks or refuses at this moment. It can change without the operator, so a start waits for it. */
export class ClusterFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ClusterFault";
  }
}

/** Which cluster is meant, for messages. */
export interface ClusterName {
  readonly server: string;
  readonly context: string;
}

/** An answer of the API server, or that there is none, as a fault of the cluster with a remedy; any other error unchanged. */
export function clusterFaultOf(error: unknown, { server, context }: ClusterName): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 0) {
    const advice = `check that the server is running and that context "${context}" is the right one`;
    return new ClusterFault(`cannot reach ${server}: ${error.message}; ${advice}`);
  }
  switch (error.reason) {
    case "Unauthorized":
      return new ClusterFault(
        `${server} rejected the credentials of context "${context}"; renew them, or choose another context`,
      );
    case "Forbidden":
      return new ClusterFault(`not allowed: ${error.message}; apply the output of --print-rbac`);
    default:
      return new ClusterFault(`cannot use ${server}: ${error.message}`);
  }
}

const pauses = { first: 500, most: 15_000 };

export interface Patience {
  readonly state: StartState;
  readonly clock: Clock;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** Repeats a step of the start until the cluster lets it succeed. Throws what waiting cannot change. */
export async function untilPossible<T>(step: () => Promise<T>, { state, clock, signal }: Patience): Promise<T> {
  const aborted = untilAborted(signal);
  for (let failures = 1; ; failures += 1) {
    try {
      const result = await Promise.race([step(), aborted]);
      state.proceed();
      return result;
    } catch (error) {
      if (!(error instanceof ClusterFault)) throw error;
      state.waitFor(error.message);
    }
    await waitFor(clock, backoffDelay(pauses, failures, Math.random), signal);
    signal.throwIfAborted();
  }
}
