import type { Dialect } from "@trivium/reconcile";
import { group } from "./group.ts";
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

export const ome: Dialect = {
  name: "ome",
  group: group.group,
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
