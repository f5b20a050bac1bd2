import type { Dialect } from "@trivium/reconcile";
import { ome } from "./group.ts";
import { BaseModel, ClusterBaseModel } from "./kinds/base-model.ts";
import { BenchmarkJob } from "./kinds/benchmark-job.ts";
import { FineTunedWeight } from "./kinds/fine-tuned-weight.ts";
import { InferenceService } from "./kinds/inference-service.ts";
import { ClusterServingRuntime, ServingRuntime } from "./kinds/serving-runtime.ts";

export {
  BaseModel,
  BenchmarkJob,
  ClusterBaseModel,
  ClusterServingRuntime,
  FineTunedWeight,
  InferenceService,
  ServingRuntime,
};

export const omeDialect: Dialect = {
  name: "ome",
  group: ome.group,
  kinds: [
    BaseModel,
    ClusterBaseModel,
    FineTunedWeight,
    ServingRuntime,
    ClusterServingRuntime,
    InferenceService,
    BenchmarkJob,
  ],
  reconcilers: [],
};
