import { findFit } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observed/service.ts";

type ObservedPods = Pick<ObservedService, "pods">;

/** Whether the engine serves, or did: that is proof that it fits, whatever figures say. */
export function hasServed({ status }: InferenceService, { pods }: ObservedPods): boolean {
  const before = status?.modelStatus?.modelRevisionStates?.activeModelState;
  return before === "Loaded" || before === "Standby" || pods.engine.some(({ isReady }) => isReady);
}

/** Whether nothing is left to find out: it served, and the sum for this very spec is reported. A change of a node does not matter then. */
export const isFitKnown = (service: InferenceService, observed: ObservedPods): boolean =>
  hasServed(service, observed) && findFit(service)?.status === "True";
