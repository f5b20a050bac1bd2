import { defineKind, type ObjectOf } from "@trivium/kube";
import { obj, opt, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { conditions } from "./conditions.ts";

const spec = obj("An adapter, and the service that loads it", {
  inferenceServiceRef: obj("InferenceService that loads the adapter", {
    name: str("Name of the InferenceService"),
    namespace: opt(str("Namespace of the InferenceService; must be the namespace of this object")),
  }),
  name: str("Name by which requests choose the adapter; unique within the service", {
    minLength: 1,
    maxLength: 63,
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
  }),
  path: str("Path of the adapter in the container of the engine, on a volume of the service", { minLength: 1 }),
});

const status = obj("Observed state of the adapter", {
  conditions: opt(conditions("Conditions of the adapter, one for each type")),
  lastLoadedAt: opt(time("Time when pods with the adapter were first ready")),
  loadedPath: opt(str("Path that the engine loaded the adapter from")),
});

export const LoRAAdapter = defineKind({
  ...group,
  kind: "LoRAAdapter",
  plural: "loraadapters",
  shortNames: ["lora"],
  scope: "Namespaced",
  description: "A LoRA adapter that an InferenceService serves beside its model",
  columns: [
    { name: "Service", type: "string", jsonPath: ".spec.inferenceServiceRef.name" },
    { name: "Adapter", type: "string", jsonPath: ".spec.name" },
    { name: "Loaded", type: "string", jsonPath: '.status.conditions[?(@.type=="Loaded")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Available")].reason' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
});
export type LoRAAdapter = ObjectOf<typeof LoRAAdapter>;
