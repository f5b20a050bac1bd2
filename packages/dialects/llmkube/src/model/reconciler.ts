import { prepare } from "@trivium/engines";
import type { Reconciler } from "@trivium/reconcile";
import { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import { lowerModel } from "./lower.ts";
import { modelReads, type ObservedModel, observeModel } from "./observe.ts";
import { raiseModel } from "./raise.ts";
import { raiseOutcome } from "./status/outcome.ts";

/** A Model has no children: pods download its weights. What is decided is its status. */
export function modelReconciler(
  options: LlmkubeOptions,
): Reconciler<Model, ObservedModel, (typeof modelReads)[number]> {
  return {
    name: "llmkube.model",
    kind: Model,
    reads: modelReads,
    writes: [],
    observe: (model, reader) => observeModel(model, reader, options),
    decide(model, observed, now) {
      const lowered = lowerModel(model, observed, options);
      const prepared = lowered.is === "intended" ? prepare(lowered.intent) : undefined;
      const outcome = raiseOutcome(lowered, prepared, { ...observed, reported: model.status?.download });
      return { do: "hold", ...raiseModel(model, outcome, { observed, now }) };
    },
  };
}
