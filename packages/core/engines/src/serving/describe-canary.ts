import type { CanaryPlan, FieldPaths, ServingPod } from "@trivium/domain";
import type { Instant } from "@trivium/std";
import { diagnose, findFailure, formatDiagnosis } from "../health/index.ts";
import { servingAnnotations } from "./serving-annotations.ts";

export interface CanaryReport {
  readonly status: "True" | "False";
  readonly reason: "CanaryServes" | "CanaryNotAvailable";
  readonly message: string;
}

/** How the newest template gets on while it is tried out: its share, or why it gets no requests. */
export function describeCanary(
  { workload, percent, isUp }: CanaryPlan,
  pods: readonly ServingPod[],
  { paths, now }: { readonly paths: FieldPaths; readonly now: Instant },
): CanaryReport {
  if (isUp) {
    const remedy = `remove annotation ${servingAnnotations.canaryPercent} to roll it out`;
    const message = `${percent}% of the requests go to Deployment ${workload.name}; ${remedy}`;
    return { status: "True", reason: "CanaryServes", message };
  }
  const unready = pods.filter(({ isReady }) => !isReady);
  const failure = findFailure(unready, undefined, now);
  const why = failure === undefined ? "its pods are not ready yet" : formatDiagnosis(diagnose(failure, { paths }));
  const message = `No requests go to Deployment ${workload.name}: ${why}`;
  return { status: "False", reason: "CanaryNotAvailable", message };
}
