import type { HealthReport } from "@trivium/domain";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Diagnosis } from "../health/diagnose.ts";
import type { RolloutPlan } from "../roles/rollout.ts";

/** Conditions that are said when something happens, and taken back when it has passed: before that nobody hears of them. */

export function suspensionOf({ spec, status }: InferenceService): DecidedCondition[] {
  if (spec.suspend === true)
    return [{ type: "Suspended", status: "True", reason: "Suspended", message: "spec.suspend is true" }];
  const wasSaid = status?.conditions?.some(({ type }) => type === "Suspended") === true;
  return wasSaid
    ? [{ type: "Suspended", status: "False", reason: "NotSuspended", message: "spec.suspend is false" }]
    : [];
}

const isTransfer = (reason: string): boolean => /^Model(Source|Transfer)|^IntegrityCheckFailed$/.test(reason);

/** Said once a download failed, and taken back when one succeeds. */
export function transferOf(
  { status }: InferenceService,
  { answering }: HealthReport,
  cause: Diagnosis | undefined,
): DecidedCondition[] {
  const type = "ModelTransferHealthy";
  if (cause !== undefined && isTransfer(cause.reason))
    return [{ type, status: "False", reason: cause.reason, message: cause.message }];
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined) return [];
  if (answering > 0)
    return [{ type, status: "True", reason: "ModelTransferSucceeded", message: "The weights are downloaded" }];
  const { status: state, reason, message } = before;
  return [{ type, status: state, reason, message }];
}

export function driverOf(
  { status }: InferenceService,
  { answering }: HealthReport,
  cause: Diagnosis | undefined,
): DecidedCondition[] {
  const type = "DriverCompatible";
  if (cause?.reason === "CUDADriverInsufficient")
    return [{ type, status: "False", reason: cause.reason, message: cause.message }];
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined) return [];
  if (answering > 0) return [{ type, status: "True", reason: "RuntimeStarted", message: "The engine has started" }];
  const { status: state, reason, message } = before;
  return [{ type, status: state, reason, message }];
}

/** Said while a change is held back, and taken back when it goes. */
export function rolloutOf({ status }: InferenceService, rollout: RolloutPlan, template: string): DecidedCondition[] {
  const type = "RolloutDeferred";
  if (rollout.is === "waits") return [{ type, status: "True", reason: rollout.reason, message: rollout.message }];
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined) return [];
  const reason = rollout.reason ?? (before.status === "False" ? before.reason : "PodsIdle");
  return [{ type, status: "False", reason, message: `Pod template ${template} is rolled out` }];
}
