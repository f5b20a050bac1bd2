import type { ServingDialect } from "@trivium/domain";
import { ofUpstream } from "@trivium/reconcile";
import { serviceAdmission } from "./admission/inference-service.ts";
import { cacheBudget } from "./cache-budget/reconciler.ts";
import { readService } from "./conversion/read-service.ts";
import { writeService } from "./conversion/write-service.ts";
import { quotaReconciler } from "./gpu-quota/reconciler.ts";
import { group } from "./group.ts";
import { serviceReconciler } from "./inference-service/reconciler.ts";
import { explainService } from "./inference-service/selection/explain.ts";
import { GPUQuota } from "./kinds/gpu-quota.ts";
import { InferenceService } from "./kinds/inference-service.ts";
import { LoRAAdapter } from "./kinds/lora-adapter.ts";
import { Model } from "./kinds/model.ts";
import { adapterReconciler } from "./lora-adapter/reconciler.ts";
import { modelReconciler } from "./model/reconciler.ts";
import { defaultOptions, type LlmkubeOptions } from "./options.ts";
import { queueReconciler } from "./scheduling-queue/reconciler.ts";
import { statusGuide } from "./status-guide.ts";
import { summarizeService } from "./summarize-service.ts";
import { upstream } from "./upstream.ts";
import { weightsReader } from "./weights-reader.ts";

export { defaultPriority, priorityClasses } from "./inference-service/pod/priority.ts";
export { defaultOptions as llmkubeDefaults, type LlmkubeOptions } from "./options.ts";
export { statusGuide as llmkubeStatusGuide } from "./status-guide.ts";
export { summarizeService as summarizeLlmkubeService } from "./summarize-service.ts";
export { weightsReader as llmkubeWeightsReader } from "./weights-reader.ts";
export { InferenceService, Model };

/** The dialect as one operator runs it. */
export function createLlmkube(options: LlmkubeOptions = defaultOptions): ServingDialect {
  return {
    name: "llmkube",
    group: group.group,
    kinds: [Model, InferenceService, LoRAAdapter, GPUQuota],
    limits: [GPUQuota],
    statusGuide,
    explainers: [explainService(options)],
    ...weightsReader,
    summarizeService,
    serviceKind: InferenceService,
    suspension: { stop: { spec: { suspend: true } }, start: { spec: { suspend: false } } },
    readService,
    writeService,
    upstream,
    admissions: options.engineLimits.length === 0 ? [] : [serviceAdmission(options.engineLimits)],
    reconcilers: ofUpstream(upstream, group.group, [
      modelReconciler(options),
      serviceReconciler(options),
      adapterReconciler(),
      cacheBudget(options),
      queueReconciler,
      quotaReconciler(options),
    ]),
  };
}

export const llmkube: ServingDialect = createLlmkube();
