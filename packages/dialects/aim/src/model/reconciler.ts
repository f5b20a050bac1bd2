import type { Reconciler } from "@trivium/reconcile";
import { catalogPaths } from "../field-paths.ts";
import type { Model } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedReasons, raiseRefused } from "../refused.ts";
import { type Inspection, lowerModel } from "./lower.ts";
import { type ModelScope, modelReads, type ObservedModel, observeModel } from "./observe.ts";
import { raiseModel } from "./raise.ts";
import { emitTemplates } from "./templates/children.ts";

const refusedWords: RefusedReasons = {
  paths: catalogPaths,
  state: "Degraded",
  overall: ["Progressing", "Failure", "Degraded"],
};

/**
 * A model becomes templates: one for each way to run it. Those that its spec states go when the spec no longer does; those that its image
 * recommended stay, because services may run on them.
 */
export function modelReconciler(scope: ModelScope, options: AimOptions): Reconciler<Model, ObservedModel> {
  return {
    name: scope.name,
    kind: scope.kind,
    reads: [...modelReads, ...(scope.hiddenBy === undefined ? [] : [scope.hiddenBy])],
    writes: [scope.templates],
    observe: (model, reader) => observeModel(model, reader, { scope, options }),
    decide(model, observed) {
      const intent = lowerModel(model, observed);
      const { status, notes } = raiseModel(model, intent, observed);
      if (intent.is === "shadowed") return { do: "converge", children: [], status, notes };
      if (intent.is !== "planned" || !isClear(intent.inspection)) return { do: "hold", status, notes };
      return { do: "converge", children: emitTemplates(model, intent, { observed, scope }), status, notes };
    },
    refused: (model, status, refusals) => raiseRefused(refusedWords, model, status, refusals),
  };
}

/** Whether it is clear which templates there should be. */
const isClear = (inspection: Inspection): boolean =>
  inspection.is !== "dark" && !(inspection.is === "failed" && inspection.fault === "InvalidImageReference");
