import { defineKind, type ObjectOf } from "@trivium/kube";
import { free, obj, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { modelExtension, modelStatus } from "./model-fields.ts";
import { objectReference, storage } from "./storage.ts";

const spec = obj("What was tuned from which model, and where the files are", {
  baseModelRef: objectReference("The model it was tuned from"),
  modelType: str("How it was tuned, such as Distillation, Adapter or Tfew"),
  hyperParameters: free("Settings of the training; strategy says how it is served"),
  ...modelExtension,
  configuration: opt(free("Its configuration; merged_weights: true marks a complete checkpoint")),
  storage: storage("Where the files are and which nodes get them"),
  trainingJobRef: opt(objectReference("The job that made it")),
});

export const FineTunedWeight = defineKind({
  ...group,
  scope: "Cluster",
  kind: "FineTunedWeight",
  plural: "finetunedweights",
  description: "Weights tuned from a base model, to be served on top of it",
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
