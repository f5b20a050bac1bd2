import type { Instant } from "@trivium/std";
import type { HealthReport } from "../health/health-report.ts";
import type { ServingPod } from "../health/serving-pod.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import type { ScalingPlan } from "./scaling-plan.ts";
import type { ServicePlan } from "./service-plan.ts";
import type { WorkloadPlan } from "./workload-plan.ts";

/** One workload with one address, and what is observed of it. */
export interface WorkloadIntent {
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
  readonly cache?: ClaimPlan | undefined;
  readonly scaling?: ScalingPlan | undefined;
  /** What tells pods of the newest template from older ones; see `ObservedPod.template`. */
  readonly template: string;
  readonly pods: readonly ServingPod[];
  /** Why the controller of the pods cannot create them, where it says so. */
  readonly refused?: string | undefined;
  /** Whether it was found to serve before: what is known then is not lost because an answer is late. */
  readonly wasServing: boolean;
  /** The time of the decision; without it no start takes too long. */
  readonly now?: Instant | undefined;
}

/** What should be, and how far it is. */
export interface WorkloadServing extends Omit<WorkloadIntent, "pods" | "refused" | "now"> {
  readonly health: HealthReport;
}
