import { splitRefusals } from "@trivium/engines";
import { type DecidedCondition, replaceConditions } from "@trivium/kube";
import type { Refusal } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { servicePaths } from "../field-paths.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { stampLastUpdated } from "../last-updated.ts";
import type { ServiceStatus } from "./raise.ts";

const reason = "ApplyFailed";

/** A child that the API server refuses is why the service does not come up; what ran before may still answer. */
export function raiseRefused(
  service: InferenceService,
  status: ServiceStatus,
  refusals: readonly Refusal[],
  now: Instant,
): ServiceStatus {
  const { vital, beside } = splitRefusals(refusals, servicePaths);
  const message = (vital ?? beside)?.message ?? "";
  const { generation } = service.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const degraded: DecidedCondition = { type: "Degraded", status: "True", reason, message, ...observed };
  const base = stripProgress(status, vital !== undefined);
  const whole =
    vital === undefined
      ? { ...base, conditions: merge(base, [degraded]) }
      : { ...base, ...failure(status, message), conditions: merge(base, [...unavailable(status, message), degraded]) };
  return stampLastUpdated(service.status, whole, now);

  function unavailable({ conditions }: ServiceStatus, why: string): DecidedCondition[] {
    const isUp = conditions?.some(({ type, status: state }) => type === "Available" && state === "True") === true;
    return isUp ? [] : [{ type: "Available", status: "False", reason: "NoReadyReplicas", message: why, ...observed }];
  }
}

type Conditions = NonNullable<ServiceStatus["conditions"]>;

const merge = ({ conditions }: ServiceStatus, changes: readonly DecidedCondition[]): Conditions =>
  replaceConditions(conditions, changes as Conditions);

/** Nothing progresses while the same request is refused. */
function stripProgress(status: ServiceStatus, isStuck: boolean): ServiceStatus {
  const conditions = (status.conditions ?? []).filter(({ type }) => !isStuck || type !== "Progressing");
  return { ...status, conditions };
}

function failure({ readyReplicas = 0, phase }: ServiceStatus, message: string): Partial<ServiceStatus> {
  const isDown = phase === "Suspended" || phase === "Stopped";
  return {
    phase: isDown ? phase : readyReplicas > 0 ? "Progressing" : "Failed",
    schedulingStatus: reason,
    schedulingMessage: message,
  };
}
