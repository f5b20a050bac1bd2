import type { PodPlan } from "./workload-plan.ts";

/** Groups of pods that work as one over several nodes: a leader, and those who follow it. */
export interface GroupPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly leader: PodPlan;
  readonly worker: PodPlan;
  /** Pods of one group, the leader among them. */
  readonly size: number;
  /** How many groups. */
  readonly replicas: number;
}
