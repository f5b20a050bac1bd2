import type { PodPlan } from "./workload-plan.ts";

/** Pods that run to an end once. */
export interface JobPlan {
  readonly name: string;
  /** Absent: that of the object that owns it. */
  readonly namespace?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly pod: Omit<PodPlan, "annotations"> & Partial<Pick<PodPlan, "annotations">>;
  /** How often a pod that failed is followed by another. */
  readonly retries: number;
  /** How long a Job that ended is kept to be read. */
  readonly keepSeconds?: number | undefined;
  /** The longest that it can run. */
  readonly deadlineSeconds?: number | undefined;
}
