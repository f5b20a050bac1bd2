import type { Reconciler } from "@trivium/reconcile";
import { Model } from "../kinds/model.ts";
import type { LlmkubeOptions } from "../options.ts";
import { lowerModel } from "./lower.ts";
import { modelReads, type ObservedModel, observeModel } from "./observe.ts";
import { raiseModel } from "./raise.ts";

/** A Model has no children: pods fetch its weights. What is decided is what can be said of it. */
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
      const { status, notes } = raiseModel(model, lowerModel(model, observed, options), { observed, now });
      return { do: "hold", status, notes };
    },
  };
}
