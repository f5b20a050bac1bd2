import type { PodPlan } from "./workload-plan.ts";

/** Pods that requests start and silence stops. Each template is a revision, and revisions share the requests. */
export interface ServerlessPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly pod: PodPlan;
  /** Most requests that one pod works on. */
  readonly concurrency?: number | undefined;
  /** Longest time of a request, and until its answer begins, in seconds. */
  readonly timeout?: number | undefined;
  readonly traffic: readonly TrafficShare[];
}

export interface TrafficShare {
  /** Nothing: whichever revision is the latest that is ready. */
  readonly revision?: string | undefined;
  readonly percent: number;
  readonly tag?: string | undefined;
}
