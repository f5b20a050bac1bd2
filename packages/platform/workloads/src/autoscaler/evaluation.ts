import type { api, HorizontalPodAutoscaler } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { byName } from "../pods/claim.ts";
import { limit, type Vocabulary } from "./limits.ts";
import { readMemory } from "./memory.ts";
import type { ObservedAutoscaler } from "./observe.ts";
import { type Proposal, proposalOf } from "./proposal.ts";
import type { Scale } from "./targets.ts";

/** What is decided about the size, before it is said. */
export interface Evaluation {
  readonly current: number;
  readonly desired: number;
  readonly why: string;
  readonly conditions: readonly api.HorizontalPodAutoscalerCondition[];
  readonly metrics: readonly api.MetricStatus[] | undefined;
  readonly notes: readonly Note[];
  readonly recommended: number | undefined;
  readonly changesAt: Instant | undefined;
}

export const condition = (type: string, status: "True" | "False", { reason, message }: Vocabulary) => ({
  type,
  status,
  reason,
  message,
});

const gotScale = condition("AbleToScale", "True", {
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
});
const disabled: Vocabulary = {
  reason: "ScalingDisabled",
  message: "scaling is disabled since the replica count of the target is zero",
};

export function evaluationOf(
  autoscaler: HorizontalPodAutoscaler,
  observed: ObservedAutoscaler & { scale: Scale },
  now: Instant,
): Evaluation | undefined {
  const { minReplicas = 1, maxReplicas = 1 } = autoscaler.spec ?? {};
  const current = observed.scale.wanted;
  const plain = { current, metrics: undefined, notes: [], recommended: undefined, changesAt: undefined };
  if (current === 0 && minReplicas !== 0) {
    return { ...plain, desired: 0, why: "", conditions: [gotScale, condition("ScalingActive", "False", disabled)] };
  }
  if (current > maxReplicas) {
    return {
      ...plain,
      desired: maxReplicas,
      why: "Current number of replicas above Spec.MaxReplicas",
      conditions: [gotScale],
    };
  }
  if (current < minReplicas) {
    return {
      ...plain,
      desired: minReplicas,
      why: "Current number of replicas below Spec.MinReplicas",
      conditions: [gotScale],
    };
  }
  const { scale, pods, measured } = observed;
  const specs = autoscaler.spec?.metrics ?? [];
  const situation = { autoscaler, wanted: current, there: scale.there, pods: pods.toSorted(byName), now };
  const proposals = specs.map((spec, i) => proposalOf(spec, measured[i] ?? { is: "pending" }, situation));
  if (proposals.some(({ is }) => is === "pending")) return undefined;
  return evaluationByMetrics(autoscaler, current, proposals, now);
}

function evaluationByMetrics(
  autoscaler: HorizontalPodAutoscaler,
  current: number,
  proposals: readonly Proposal[],
  now: Instant,
): Evaluation {
  const invalid = proposals.filter((one) => one.is === "invalid");
  const valid = proposals.filter((one) => one.is === "valid");
  const metrics = proposals.map((one) => (one.is === "valid" ? one.status : { type: "" }));
  const best = valid.reduce<(typeof valid)[number] | undefined>(
    (top, one) => (top === undefined || one.replicas > top.replicas ? one : top),
    undefined,
  );
  const failures = invalid.map(({ reason, why }): Note => ({ type: "Warning", reason, message: why }));
  const [first] = invalid;
  if (best === undefined || (first !== undefined && best.replicas < current)) {
    const message = `the HPA was unable to compute the replica count: ${first?.why ?? "no metrics"}`;
    const conditions = [gotScale, condition("ScalingActive", "False", { reason: first?.reason ?? "", message })];
    const total = `invalid metrics (${invalid.length} invalid out of ${proposals.length}), first error is: ${first?.error}`;
    const notes: Note[] = [...failures, { type: "Warning", reason: "FailedComputeMetricsReplicas", message: total }];
    return {
      current,
      desired: current,
      why: "",
      conditions,
      metrics,
      notes,
      recommended: undefined,
      changesAt: undefined,
    };
  }
  const { replicas, able, limited, changesAt } = limit({
    autoscaler,
    memory: readMemory(autoscaler),
    current,
    wanted: best.replicas,
    now,
  });
  const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
  return {
    current,
    desired: replicas,
    why: best.replicas > current ? `${best.name} above target` : "All metrics below target",
    conditions: [
      condition("AbleToScale", "True", able),
      condition("ScalingActive", "True", { reason: "ValidMetricFound", message }),
      condition("ScalingLimited", limited.status, limited),
    ],
    metrics,
    notes: failures,
    recommended: best.replicas,
    changesAt,
  };
}
