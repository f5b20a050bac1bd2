import type { Reconciler } from "@trivium/reconcile";
import { catalogPaths } from "../field-paths.ts";
import { AIMClusterModelSource } from "../kinds/cluster-model-source.ts";
import { AIMClusterModel } from "../kinds/model.ts";
import type { ModelSource } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { raiseRefused } from "../refused.ts";
import { lowerSource } from "./lower.ts";
import { adoptModel, emitModels } from "./models/children.ts";
import { type ObservedSource, observeSource, sourceReads } from "./observe.ts";
import { raiseSource } from "./raise.ts";

/** A source becomes models, one for each image that it finds, up to a limit. It only ever adds: what it created is unchanged. */
export function modelSourceReconciler(options: AimOptions): Reconciler<ModelSource, ObservedSource> {
  return {
    name: "aim.model-source",
    kind: AIMClusterModelSource,
    reads: sourceReads,
    writes: [AIMClusterModel],
    controls: [],
    observe: (source, reader) => observeSource(source, reader, options),
    decide(source, observed, now) {
      const lowered = lowerSource(source, observed);
      const raised = raiseSource(source, lowered, now);
      // What was reported of this very spec stands until all of it is known again.
      const isReported = source.status !== undefined && source.status.observedGeneration === source.metadata.generation;
      if (lowered.isUncertain)
        return isReported ? { do: "hold", status: source.status ?? {} } : { do: "hold", ...raised };
      const patches = lowered.orphans.map((name) => adoptModel(source, name));
      const children = emitModels(source, lowered);
      return { do: "converge", children, ...(patches.length === 0 ? {} : { patches }), ...raised };
    },
    refused: (source, status, refusals) =>
      raiseRefused({ paths: catalogPaths, state: "Degraded", overall: ["Degraded"] }, source, status, refusals),
  };
}
