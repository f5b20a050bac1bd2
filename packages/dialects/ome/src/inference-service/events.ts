import type { Failure } from "@trivium/domain";
import { type DecidedCondition, isConditionTrue } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { Intended } from "./lower.ts";
import type { ObservedService } from "./observed/service.ts";
import type { ComponentName } from "./roles/component.ts";
import type { Blocked } from "./selection/blocked.ts";
import { describeFailure } from "./status/model-status.ts";

export interface ServingReport {
  readonly plan: Intended;
  readonly observed: ObservedService;
  /** The first component that cannot serve without a change. */
  readonly failure: { readonly failure: Failure; readonly component: ComponentName } | undefined;
  /** The model, where a component waits for its files. */
  readonly model: DecidedCondition | undefined;
  readonly isUp: boolean;
  /** Why it is not ready, where it is not. */
  readonly message: string;
}

/** What is recorded as Events of a service that is being created or runs, each once. */
export function servingEvents(
  { status }: InferenceService,
  { plan, observed, failure, model, isUp, message }: ServingReport,
): Note[] {
  const faults = observed.configuration?.is === "known" ? Object.values(observed.configuration.value.faults) : [];
  return [
    ...[...plan.warnings, ...plan.ignored].map((text) => warning("SpecNotCarriedOut", text)),
    ...plan.components.flatMap(({ untried }) => (untried === undefined ? [] : [warning("CanaryUnsupported", untried)])),
    ...faults.map((text) => warning("InvalidConfiguration", text)),
    ...readyEvents({ isUp, wasReady: isConditionTrue(status?.conditions, "Ready"), message }),
    ...modelEvents(model),
    ...(failure === undefined ? [] : [failureEvent(failure)]),
  ];
}

/** That a model is being downloaded is not an event: it reports that itself. */
export const blockedEvents = ({ reason, note, message, model }: Blocked): Note[] =>
  reason === "BaseModelNotReady" && model?.state !== "Failed" ? [] : [warning(note, message)];

/** Why no component gets the files of the model, where that does not pass without a failure. */
function modelEvents(model: DecidedCondition | undefined): Note[] {
  if (model?.reason === "DoesNotFit") return [warning("DoesNotFit", model.message)];
  return model?.reason === "ModelFailed" ? [warning("ModelReconcileError", model.message)] : [];
}

const warning = (reason: string, message: string): Note => ({ type: "Warning", reason, message });

function readyEvents({ isUp, wasReady, message }: { isUp: boolean; wasReady: boolean; message: string }): Note[] {
  if (isUp) return [{ type: "Normal", reason: "InferenceServiceReady", message: "All components are ready" }];
  return wasReady ? [warning("InferenceServiceNotReady", message)] : [];
}

const failureEvent = ({ failure, component }: NonNullable<ServingReport["failure"]>): Note =>
  warning("ComponentFailed", `${component}: ${describeFailure(component, failure)}`);
