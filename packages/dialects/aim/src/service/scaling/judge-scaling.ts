import type { ObservedScaling } from "../observed/observed-service.ts";
import type { Scaling } from "./lower-scaling.ts";

/** What an autoscaler reports, with the reasons of this API. */
export interface ScalingReport {
  readonly status: "True" | "False";
  readonly reason:
    | "HPAOperational"
    | "HPANotFound"
    | "WaitingForMetrics"
    | "MetricsFailed"
    | "ScaleTargetNotReady"
    | "AutoscalingUnavailable";
  readonly message: string;
}

/** Nothing where nothing scales the service. */
export function judgeScaling(
  scaling: Scaling | undefined,
  observed: ObservedScaling | undefined,
): ScalingReport | undefined {
  const word = judgeScaler(scaling, observed);
  const ignored = scaling?.ignored;
  // A failure to measure has its cause to tell first; the fields are named by an event.
  if (word === undefined || ignored === undefined || word.reason === "MetricsFailed") return word;
  return { ...word, message: `${word.message}. ${ignored}` };
}

function judgeScaler(scaling: Scaling | undefined, observed: ObservedScaling | undefined): ScalingReport | undefined {
  if (scaling === undefined || scaling.is === "fixed" || observed === undefined) return undefined;
  const no = (reason: ScalingReport["reason"], message: string): ScalingReport => ({
    status: "False",
    reason,
    message,
  });
  if (scaling.is === "unavailable") return no("AutoscalingUnavailable", scaling.why);
  const { autoscaler, problem } = observed;
  if (problem !== undefined) return no("MetricsFailed", `KEDA cannot read metrics: ${problem}${uncollected(scaling)}`);
  if (scaling.is === "switching")
    return no(
      "HPANotFound",
      "Waiting for the previous HorizontalPodAutoscaler to be deleted; KEDA takes over afterwards",
    );
  if (autoscaler.is !== "known") {
    const maker = scaling.is === "hpa" ? "Creating" : "Waiting for KEDA to create";
    return no("HPANotFound", `${maker} the HorizontalPodAutoscaler`);
  }
  const { name, scales, measures } = autoscaler.value;
  const reported = (what: { reason: string; message: string }): string =>
    `HorizontalPodAutoscaler ${name}: ${what.message || what.reason}`;
  if (typeof scales === "object") return no("ScaleTargetNotReady", reported(scales));
  if (measures === "unknown") return no("WaitingForMetrics", `HorizontalPodAutoscaler ${name} has no metrics yet`);
  if (measures === "well")
    return { status: "True", reason: "HPAOperational", message: `HorizontalPodAutoscaler ${name} scales the service` };
  if (measures.reason === "ScalingDisabled") return no("ScaleTargetNotReady", reported(measures));
  if (tooEarly.test(measures.message)) return no("WaitingForMetrics", reported(measures));
  return no("MetricsFailed", `${reported(measures)}${uncollected(scaling)}`);
}

/** Pods that have just started have nothing to tell. */
const tooEarly = /did not receive metrics for (?:targeted|any ready) pods/;

/** A likely cause, where we can name one. */
function uncollected(scaling: Scaling): string {
  if (scaling.mayLack !== undefined) return `. ${scaling.mayLack}`;
  if (scaling.is !== "keda" || scaling.collector !== undefined) return "";
  return ". The OpenTelemetry operator is not installed, so pod metrics are not collected; install it";
}
