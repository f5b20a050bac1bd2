import type { Explainer, Explanation } from "@trivium/domain";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { lowerService } from "./lower.ts";
import type { ObservedService } from "./observed/service.ts";
import { withoutPredictor } from "./roles/predictor.ts";

/** The runtime that a service gets and why, from the very step that decides it. */
export const explainService = (options: OmeOptions): Explainer => ({
  reconciler: "ome.inference-service",
  explain(object, observed): Explanation {
    const service = withoutPredictor(object as InferenceService);
    const lowered = lowerService(service, observed as ObservedService, options);
    return "selection" in lowered && lowered.selection !== undefined ? { choice: lowered.selection.choice } : {};
  },
});
