import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observed/service.ts";

/** Whether the engine serves, or did: that is proof that it fits, whatever figures say. */
export function hasServed({ status }: InferenceService, { pods }: Pick<ObservedService, "pods">): boolean {
  const before = status?.modelStatus?.modelRevisionStates?.activeModelState;
  return before === "Loaded" || before === "Standby" || pods.engine.some(({ isReady }) => isReady);
}
