import type { ServingDialect } from "@trivium/domain";
import { cacheBudget } from "./cache-budget/reconciler.ts";
import { downloadOf } from "./download-of.ts";
import { group } from "./group.ts";
import { serviceReconciler } from "./inference-service/reconciler.ts";
import { explainService } from "./inference-service/selection/explain.ts";
import { InferenceService } from "./kinds/inference-service.ts";
import { Model } from "./kinds/model.ts";
import { modelReconciler } from "./model/reconciler.ts";
import { defaultOptions, type LlmkubeOptions } from "./options.ts";
import { queueReconciler } from "./scheduling-queue/reconciler.ts";
import { statusGuide } from "./status-guide.ts";
import { writeService } from "./write-service.ts";

export { defaultPriority, priorityClasses } from "./inference-service/pod/priority.ts";
export { defaultOptions as llmkubeDefaults, type LlmkubeOptions } from "./options.ts";
export { InferenceService, Model };

/** The dialect as one operator runs it. */
export function createLlmkube(options: LlmkubeOptions = defaultOptions): ServingDialect {
  return {
    name: "llmkube",
    group: group.group,
    kinds: [Model, InferenceService],
    statusGuide,
    explainers: [explainService(options)],
    downloadOf,
    serviceKind: InferenceService,
    writeService,
    reconcilers: [modelReconciler(options), serviceReconciler(options), cacheBudget(options), queueReconciler],
  };
}

export const llmkube: ServingDialect = createLlmkube();
