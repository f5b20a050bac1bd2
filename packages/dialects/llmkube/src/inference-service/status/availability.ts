import type { HealthReport } from "@trivium/domain";
import { asleepMessage, describeReplicas, standInRemark, stoppedMessage } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ServiceReason } from "../../reasons.ts";
import type { Diagnosis } from "../health/diagnose.ts";
import { resume } from "../traffic/address.ts";

export type Phase = NonNullable<NonNullable<InferenceService["status"]>["phase"]>;

export function phaseOf({ spec }: InferenceService, health: HealthReport, cause: Diagnosis | undefined): Phase {
  const { desired, ready, answering } = health;
  if (spec.suspend === true) return "Suspended";
  if (desired > 0 && ready >= desired) return "Ready";
  if (desired === 0) return "Stopped";
  if (ready > 0 || answering > 0) return "Progressing";
  if (cause?.reason === "InsufficientGPU") return "WaitingForGPU";
  return cause !== undefined && isPermanent(cause.reason) ? "Failed" : "Creating";
}

/** What trying again does not change: a person has to correct the source, its credentials or the digest. */
const permanent: readonly ServiceReason[] = ["ModelSourceNotFound", "ModelSourceUnauthorized", "IntegrityCheckFailed"];
const isPermanent = (reason: ServiceReason): boolean => permanent.includes(reason);

export interface AvailabilityUpdate {
  readonly service: { readonly name?: string | undefined; readonly namespace?: string | undefined };
  readonly phase: Phase;
  readonly health: HealthReport;
  readonly cause: Diagnosis | undefined;
  readonly progress: string | undefined;
  /** Whether that progress is of a download. */
  readonly isDownloading: boolean;
  /** Whether the gateway put it to zero, for want of requests. */
  readonly isIdled: boolean;
}

/** Whether it answers, whether it is on its way, and what is in the way. */
export function outcomeOf(outcome: AvailabilityUpdate): DecidedCondition[] {
  const { phase, health, cause, progress, isDownloading } = outcome;
  const conditions: DecidedCondition[] = [availability(outcome)];
  if (phase === "Ready" || phase === "Suspended" || phase === "Stopped") return conditions;
  if (phase === "Failed" && cause !== undefined) return [...conditions, degraded(cause)];
  const waiting = phase === "WaitingForGPU";
  // What may pass is how far it is, and no fault of it.
  const passing = cause?.isPassing === true ? cause.message : undefined;
  const how = progress ?? unlistedIn(health) ?? passing ?? describeReplicas(health);
  conditions.push({
    type: "Progressing",
    status: "True",
    reason: waiting ? "WaitingForGPU" : isDownloading ? "FetchingWeights" : "Creating",
    message: waiting ? (cause?.message ?? "") : how,
  });
  if (waiting) {
    conditions.push({
      type: "GPUAvailable",
      status: "False",
      reason: "InsufficientGPU",
      message: cause?.message ?? "",
    });
  } else if (cause !== undefined && cause.isPassing !== true) {
    conditions.push(degraded(cause));
  }
  return conditions;
}

const degraded = ({ reason, message }: Diagnosis): DecidedCondition => ({
  type: "Degraded",
  status: "True",
  reason: degradation(reason),
  message,
});

/** Why a download failed has a condition of its own. */
const degradation = (reason: ServiceReason): string =>
  /^Model(Source|Transfer)|^Integrity/.test(reason)
    ? "WeightsUnavailable"
    : reason === "CUDADriverInsufficient"
      ? "EngineCrashed"
      : reason;

const scaledToZero = "Scaled to zero; raise spec.replicas, or send a request to the gateway to start it";

function availability({ service, phase, health, cause, isIdled }: AvailabilityUpdate): DecidedCondition {
  const { ready, answering, desired, unlisted } = health;
  const type = "Available";
  if (phase === "Ready")
    return {
      type,
      status: "True",
      reason: "InferenceReady",
      message: `${ready} of ${desired} replicas ready${standInRemark(health)}`,
    };
  if (phase === "Suspended")
    return { type, status: "False", reason: "Suspended", message: stoppedMessage(service, resume) };
  if (phase === "Stopped")
    return isIdled
      ? { type, status: "False", reason: "ScaledToZeroWhenIdle", message: asleepMessage }
      : { type, status: "False", reason: "ManuallyScaledToZero", message: scaledToZero };
  if (answering > 0 && unlisted === undefined)
    return { type, status: "True", reason: "PartiallyReady", message: describeReplicas(health) };
  const unlistedPod = unlistedIn(health);
  if (unlistedPod !== undefined) return { type, status: "False", reason: "ModelNotListed", message: unlistedPod };
  return { type, status: "False", reason: "NoReadyReplicas", message: cause?.message ?? "No replica is ready yet" };
}

const unlistedIn = ({ unlisted }: HealthReport): string | undefined =>
  unlisted === undefined
    ? undefined
    : `Pod ${unlisted.pod} is ready, but ${unlisted.why}; check its log with kubectl logs ${unlisted.pod}`;
