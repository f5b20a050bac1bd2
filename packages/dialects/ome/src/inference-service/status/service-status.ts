import type { Choice } from "@trivium/domain";
import { choiceAnnotation, formatChoice } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { modelAnnotation, runtimeAnnotation } from "../../names.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;

export interface ShownChoice {
  readonly runtime?: string | undefined;
  /** Every candidate with its failed checks. */
  readonly choice?: Choice | undefined;
}

/** Model and runtime, also in the older form of a service and where the choice was left to us: columns of `kubectl get` show them. */
export function shownChoice(
  { spec }: InferenceService,
  { runtime, choice }: ShownChoice,
): Pick<ServiceStatus, "annotations"> {
  const model = spec.model?.name;
  const annotations = {
    ...(model ? { [modelAnnotation]: model } : {}),
    ...(runtime ? { [runtimeAnnotation]: runtime } : {}),
    ...(choice === undefined || choice.candidates.length === 0 ? {} : { [choiceAnnotation]: formatChoice(choice) }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

export function finish({ metadata }: InferenceService, conditions: readonly DecidedCondition[]): ServiceStatus {
  const { generation } = metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: conditions.map((one) =>
      generation === undefined ? one : { ...one, observedGeneration: generation },
    ) as NonNullable<ServiceStatus["conditions"]>,
  };
}
