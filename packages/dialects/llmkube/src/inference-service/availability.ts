import type { HealthReport } from "@trivium/domain";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { ServiceReason } from "../reasons.ts";
import type { Diagnosis } from "./diagnose.ts";

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
  readonly phase: Phase;
  readonly health: HealthReport;
  readonly cause: Diagnosis | undefined;
  readonly progress: string | undefined;
  /** Whether the gateway put it to zero, for want of requests. */
  readonly isIdled: boolean;
}

/** The gateway notes on what it puts to zero how many replicas it had. */
export const isIdledByGateway = ({ metadata }: InferenceService): boolean =>
  metadata.annotations?.["trivium.dev/awake-replicas"] !== undefined;

/** Whether it answers, whether it is on its way, and what is in the way. */
export function outcomeOf(outcome: AvailabilityUpdate): DecidedCondition[] {
  const { phase, health, cause, progress } = outcome;
  const conditions: DecidedCondition[] = [availability(outcome)];
  if (phase === "Ready" || phase === "Suspended" || phase === "Stopped") return conditions;
  if (phase === "Failed" && cause !== undefined) return [...conditions, degraded(cause)];
  const waiting = phase === "WaitingForGPU";
  // What may pass is how far it is, and no fault of it.
  const passing = cause?.isPassing === true ? cause.message : undefined;
  const how = progress ?? health.unlisted?.why ?? passing ?? partially(health);
  conditions.push({
    type: "Progressing",
    status: "True",
    reason: waiting ? "WaitingForGPU" : progress?.startsWith("Fetching") ? "FetchingWeights" : "Creating",
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

const asleep = "Asleep since nobody asked; the next request wakes it";
const scaledToZero = "Scaled to zero; raise spec.replicas to go on, or send the gateway a request, which wakes it too";

function availability({ phase, health, cause, isIdled }: AvailabilityUpdate): DecidedCondition {
  const { ready, answering, desired, unlisted } = health;
  const type = "Available";
  if (phase === "Ready")
    return { type, status: "True", reason: "InferenceReady", message: `${ready} of ${desired} replicas answer` };
  if (phase === "Suspended")
    return { type, status: "False", reason: "Suspended", message: "Suspended; set spec.suspend to false to go on" };
  if (phase === "Stopped")
    return isIdled
      ? { type, status: "False", reason: "ScaledToZeroWhenIdle", message: asleep }
      : { type, status: "False", reason: "ManuallyScaledToZero", message: scaledToZero };
  if (answering > 0 && unlisted === undefined)
    return { type, status: "True", reason: "PartiallyReady", message: partially(health) };
  if (unlisted !== undefined)
    return {
      type,
      status: "False",
      reason: "ModelNotListed",
      message: `Pod ${unlisted.pod} is ready, but ${unlisted.why}`,
    };
  return { type, status: "False", reason: "NoReadyReplicas", message: cause?.message ?? "No replica answers yet" };
}

const partially = ({ ready, answering, desired }: HealthReport): string =>
  answering >= desired
    ? `Replicas that answer: ${answering}; of those as the spec is now: ${ready}`
    : `${answering} of ${desired} replicas answer`;
