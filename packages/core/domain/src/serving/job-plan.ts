import type { PodPlan } from "./workload-plan.ts";

/** Pods that run to an end once. */
export interface JobPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: PodPlan;
  /** How often a pod that failed is followed by another. */
  readonly retries: number;
  /** How long a Job that ended is kept to be read. */
  readonly keepSeconds: number;
}
