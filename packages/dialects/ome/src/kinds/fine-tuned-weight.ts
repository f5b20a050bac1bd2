import { defineKind, type ObjectOf } from "@trivium/kube";
import { free, obj, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { modelExtension, modelStatus } from "./model-fields.ts";
import { objectReference, storage } from "./storage.ts";

const spec = obj("Properties of the fine-tuned weights and location of their files", {
  baseModelRef: objectReference("Base model of the fine-tuned weights"),
  modelType: str("Fine-tuning method, such as Distillation, Adapter or Tfew"),
  hyperParameters: free("Hyperparameters of the training; strategy determines how the weights are served"),
  ...modelExtension,
  configuration: opt(free("Configuration of the weights; merged_weights: true marks a complete checkpoint")),
  storage: storage("Location of the files, and the nodes that download them"),
  trainingJobRef: opt(objectReference("Training job that created the weights")),
});

export const FineTunedWeight = defineKind({
  ...group,
  scope: "Cluster",
  kind: "FineTunedWeight",
  plural: "finetunedweights",
  description: "Weights that were fine-tuned from a base model and are served on top of it",
  columns: [
    { name: "Disabled", type: "boolean", jsonPath: ".spec.disabled" },
    { name: "Version", type: "string", jsonPath: ".spec.version" },
    { name: "Vendor", type: "string", jsonPath: ".spec.vendor" },
    { name: "CompartmentID", type: "string", jsonPath: ".spec.compartmentID", priority: 1 },
    { name: "ModelType", type: "string", jsonPath: ".spec.modelType" },
    { name: "Ready", type: "string", jsonPath: ".status.state" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status: modelStatus,
});
export type FineTunedWeight = ObjectOf<typeof FineTunedWeight>;
