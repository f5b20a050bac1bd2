import { type RefusedChild, splitRefusals } from "@trivium/engines";
import { type DecidedCondition, isConditionTrue, replaceConditions } from "@trivium/kube";
import type { Refusal } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { servicePaths } from "../../field-paths.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { stampLastUpdated } from "../../last-updated.ts";
import type { ServiceStatus } from "../raise.ts";

const reason = "ApplyFailed";
type Conditions = NonNullable<ServiceStatus["conditions"]>;

/** A child that the API server refuses is why the service does not come up; what ran before may still answer. */
export function raiseRefused(
  service: InferenceService,
  status: ServiceStatus,
  refusals: readonly Refusal[],
  now: Instant,
): ServiceStatus {
  const { vital, beside } = splitRefusals(refusals, servicePaths);
  const message = (vital ?? beside)?.message ?? "";
  const degraded: DecidedCondition = { type: "Degraded", status: "True", reason, message };
  const changes = vital === undefined ? [degraded] : [...unavailable(status, vital), degraded];
  const { generation } = service.metadata;
  const observed = changes.map((one) => (generation === undefined ? one : { ...one, observedGeneration: generation }));
  // Nothing progresses while the same request is refused.
  const before = (status.conditions ?? []).filter(({ type }) => vital === undefined || type !== "Progressing");
  const conditions = replaceConditions(before, observed as Conditions);
  const whole = { ...status, ...(vital === undefined ? {} : failure(status, message)), conditions };
  return stampLastUpdated(service.status, whole, now);
}

/** Pods that run answer, unless the Service in front of them is not theirs. */
function unavailable({ conditions }: ServiceStatus, { isTaken, message }: RefusedChild): DecidedCondition[] {
  const isUp = isConditionTrue(conditions, "Available") && !isTaken;
  return isUp ? [] : [{ type: "Available", status: "False", reason: "NoReadyReplicas", message }];
}

function failure({ phase }: ServiceStatus, message: string): Partial<ServiceStatus> {
  const isDown = phase === "Suspended" || phase === "Stopped";
  return { phase: isDown ? phase : "Failed", schedulingStatus: reason, schedulingMessage: message };
}
