import type { Choice, Explainer, Explanation, Served } from "@trivium/domain";
import { explainServed, findRoleFailure, serve } from "@trivium/engines";
import { deepEqual } from "@trivium/std";
import type { ChosenClasses } from "../../accelerators/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { OmeOptions } from "../../options.ts";
import { waitsForModel } from "../health/waits-for-model.ts";
import { lowerService } from "../lower.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import { withoutPredictor } from "../roles/predictor.ts";
import { modelCondition } from "../status/model-condition.ts";

/** The choice of accelerator classes, once where both components have the same. */
function classChoices(accelerators: ChosenClasses): Choice[] {
  const all = Object.values(accelerators).flatMap(({ choice }) => choice ?? []);
  return all.filter((one, at) => all.findIndex((other) => deepEqual(other, one)) === at);
}

/** The runtime that a service gets and whether its model fits, from the very steps that decide it. */
export const explainService = (options: OmeOptions): Explainer => ({
  reconciler: "ome.inference-service",
  explain(object, observed, now): Explanation {
    const service = withoutPredictor(object as InferenceService);
    const lowered = lowerService(service, { observed: observed as ObservedService, options, now });
    if (lowered.is === "blocked") return { choice: lowered.selection?.choice, moreChoices: lowered.choices };
    if (lowered.is !== "intended") return {};
    const served = serve(lowered.intent);
    if (served.is === "unresolved") return {};
    const moreChoices = classChoices(lowered.accelerators);
    const { fit, ...found } = explainServed(served);
    const cause = isModelAtFault(served, lowered.model) ? {} : found;
    return { choice: served.choice, moreChoices, fit, ...cause };
  },
});

/** The model reports the cause then, and its pods only wait. */
const isModelAtFault = (served: Served, model: ObservedModel): boolean =>
  served.is === "planned" &&
  modelCondition(model).status !== "True" &&
  waitsForModel(findRoleFailure(served.plan.roles), model);
