import type { api } from "@trivium/kube";
import type { ScalingPlan } from "./scaling-plan.ts";

/** The same by KEDA, which measures outside the pods and can go down to none. */
export interface ScaledPlan extends Omit<ScalingPlan, "metrics"> {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly triggers: readonly ScaleTrigger[];
  /** How often it measures, and how long after the last load it goes down to none, in seconds. */
  readonly pollingInterval?: number | undefined;
  readonly cooldownPeriod?: number | undefined;
  /** How many stay while nothing happens at all; fewer than `min`. */
  readonly idle?: number | undefined;
  readonly behavior?: api.HorizontalPodAutoscalerBehavior | undefined;
}

/** One thing that is measured. What its metadata say depends on its type. */
export interface ScaleTrigger {
  readonly type: string;
  readonly name?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly metricType?: "Value" | "AverageValue" | "Utilization" | undefined;
  /** Where the credentials are that measuring needs. */
  readonly authentication?:
    | { readonly kind?: "TriggerAuthentication" | "ClusterTriggerAuthentication"; readonly name: string }
    | undefined;
}
