import type { ServingDialect } from "@trivium/domain";
import { ofUpstream } from "@trivium/reconcile";
import { classReconciler } from "./accelerator-class/reconciler.ts";
import { omeAdmissions } from "./admission/index.ts";
import { benchmarkReconciler } from "./benchmark-job/reconciler.ts";
import { readService } from "./conversion/read-service.ts";
import { writeService } from "./conversion/write-service.ts";
import { weightReconciler } from "./fine-tuned-weight/reconciler.ts";
import { group } from "./group.ts";
import { serviceReconciler } from "./inference-service/reconciler.ts";
import { explainService } from "./inference-service/selection/explain.ts";
import { AcceleratorClass } from "./kinds/accelerator-class.ts";
import { BaseModel, ClusterBaseModel } from "./kinds/base-model.ts";
import { BenchmarkJob } from "./kinds/benchmark-job.ts";
import { FineTunedWeight } from "./kinds/fine-tuned-weight.ts";
import { InferenceService } from "./kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "./kinds/serving-runtime.ts";
import { baseModelReconciler, clusterModelReconciler } from "./model/reconciler.ts";
import { defaultOptions, type OmeOptions } from "./options.ts";
import { statusGuide } from "./status-guide.ts";
import { summarizeService } from "./summarize-service.ts";
import { upstream } from "./upstream.ts";
import { weightsReader } from "./weights-reader.ts";

export { modelStoreOf } from "./agent/index.ts";
export { defaultOptions as omeDefaults, type OmeOptions } from "./options.ts";
export { selectRuntime } from "./selection/index.ts";
export { statusGuide as omeStatusGuide } from "./status-guide.ts";
export { summarizeService as summarizeOmeService } from "./summarize-service.ts";
export { weightsReader as omeWeightsReader } from "./weights-reader.ts";
export { BaseModel, BenchmarkJob, ClusterBaseModel, ClusterServingRuntime, FineTunedWeight, InferenceService };

/** The dialect as one operator runs it. */
export function createOme(options: OmeOptions = defaultOptions): ServingDialect {
  return {
    name: "ome",
    group: group.group,
    kinds: [
      BaseModel,
      ClusterBaseModel,
      FineTunedWeight,
      ServingRuntime,
      ClusterServingRuntime,
      AcceleratorClass,
      InferenceService,
      BenchmarkJob,
    ],
    statusGuide,
    explainers: [explainService(options)],
    ...weightsReader,
    summarizeService,
    serviceKind: InferenceService,
    readService,
    writeService,
    upstream,
    reconcilers: ofUpstream(upstream, group.group, [
      baseModelReconciler(options),
      clusterModelReconciler(options),
      weightReconciler(options),
      classReconciler(),
      serviceReconciler(options),
      benchmarkReconciler(options),
    ]),
    admissions: omeAdmissions(options),
  };
}

export const ome: ServingDialect = createOme();
