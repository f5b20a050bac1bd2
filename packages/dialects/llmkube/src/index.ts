import type { Dialect } from "@trivium/reconcile";
import { group } from "./group.ts";
import { InferenceService } from "./kinds/inference-service.ts";
import { Model } from "./kinds/model.ts";

export { InferenceService, Model };

export const llmkube: Dialect = {
  name: "llmkube",
  group: group.group,
  kinds: [Model, InferenceService],
  reconcilers: [],
};
