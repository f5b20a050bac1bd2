import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { modelAnnotation, runtimeAnnotation } from "../../names.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;

/** Model and runtime, also in the older form of a service and where the choice was left to us: columns of `kubectl get` show them. */
export function shownChoice(
  { spec }: InferenceService,
  runtime: string | undefined,
): Pick<ServiceStatus, "annotations"> {
  const model = spec.model?.name;
  const annotations = {
    ...(model ? { [modelAnnotation]: model } : {}),
    ...(runtime ? { [runtimeAnnotation]: runtime } : {}),
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
