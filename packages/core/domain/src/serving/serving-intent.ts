import type { Fact, Instant } from "@trivium/std";
import type { Failure } from "../health/failure.ts";
import type { ObservedPod } from "../health/observed-pod.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import type { ScalingPlan } from "./scaling-plan.ts";
import type { ServicePlan } from "./service-plan.ts";
import type { WorkloadPlan } from "./workload-plan.ts";

/** One model to be served: what a dialect wants, and what is seen of it. */
export interface ServingIntent {
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

export interface ServingPod extends ObservedPod {
  /** The models that its server lists; nothing for servers that list none. */
  readonly listed?: Fact<readonly string[]>;
}

/** What should be, and how far it is. */
export interface ServingPlan extends Omit<ServingIntent, "pods" | "refused" | "now"> {
  readonly health: HealthReport;
}

export interface HealthReport {
  readonly desired: number;
  /** Pods there are, of whatever template. */
  readonly total: number;
  /** Pods of the newest template that answer and list a model. */
  readonly ready: number;
  /** Pods that answer, also of older templates. */
  readonly answering: number;
  /** Ready pods whose server has not listed a model yet, and why. */
  readonly unlisted?: { readonly pod: string; readonly why: string };
  readonly failure?: Failure;
}
