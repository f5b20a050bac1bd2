import type { CollectorPlan, ReplicaBounds, RoleScaling, ScaledPlan, ScalingPlan } from "@trivium/domain";

/** Who should decide how many replicas there are, by what, and what is installed for it. */
export interface ScalingRequest {
  /** `external` is an autoscaler of the user's own. */
  readonly scaler: "none" | "external" | "hpa" | "keda";
  /** What a HorizontalPodAutoscaler would do; why it cannot, where it cannot measure what is requested. */
  readonly hpa: ScalingPlan | { readonly why: string };
  /** What KEDA would do. */
  readonly keda?: { readonly plan: ScaledPlan; readonly collector?: CollectorPlan | undefined } | undefined;
  readonly installed: InstalledScalers;
  /** Why KEDA is requested and cannot be used: it is not installed, or what it would measure is not collected. */
  readonly withoutKeda: string;
  /** What takes the place of KEDA where it cannot be used. */
  readonly instead: "hpa" | "nothing";
}

export interface InstalledScalers {
  readonly hasKeda: boolean;
  /** The workload is handed over to a controller that scales it: KServe, Knative. */
  readonly isElsewhere: boolean;
  /** The HorizontalPodAutoscaler that we created before still exists: KEDA takes nothing over that another autoscaler scales. */
  readonly hasFormer: boolean;
  /** Whether what KEDA would measure is collected; true where it needs nothing else. */
  readonly isMeasured: boolean;
}

/** Who decides between the bounds. What was created while KEDA was installed stays. */
export function planScaling(request: ScalingRequest): RoleScaling {
  const { scaler, installed } = request;
  if (scaler === "none" || scaler === "external") return { is: "fixed" };
  if (installed.isElsewhere) return { is: "elsewhere" };
  return scaler === "hpa" || request.keda === undefined
    ? byUtilization(request.hpa)
    : byTriggers(request, request.keda);
}

const byUtilization = (hpa: ScalingRequest["hpa"]): RoleScaling =>
  "why" in hpa ? { is: "unavailable", why: hpa.why } : { is: "hpa", plan: hpa };

function byTriggers(
  { hpa, installed, withoutKeda, instead }: ScalingRequest,
  { plan, collector }: NonNullable<ScalingRequest["keda"]>,
): RoleScaling {
  const { hasKeda, isMeasured, hasFormer } = installed;
  if (!hasKeda || !isMeasured)
    return instead === "hpa" ? byUtilization(hpa) : { is: "unavailable", why: withoutKeda, kept: plan };
  if (hasFormer) return { is: "switching", plan };
  return { is: "keda", plan, ...(collector === undefined ? {} : { collector }) };
}

export interface ReplicaRequest {
  readonly bounds: Pick<ReplicaBounds, "min" | "max">;
  /** What the spec requests before an autoscaler has decided. */
  readonly requested: number;
  /** How many there are now. */
  readonly live: number | undefined;
}

/** How many replicas there should be now: what an autoscaler chose stands, within the bounds. */
export const planReplicas = ({ bounds: { min, max }, requested, live }: ReplicaRequest): ReplicaBounds => ({
  min,
  max,
  current: Math.min(max, Math.max(min, live ?? requested)),
});
