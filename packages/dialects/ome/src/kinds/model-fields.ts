import { bool, int64, list, listMap, obj, oneOf, opt, str, time } from "@trivium/schema";

/** What models and weights have in common. */
export const modelExtension = {
  displayName: opt(str("Display name")),
  version: opt(str("Version of the model")),
  disabled: opt(bool("Prevents services from using it")),
  vendor: opt(str("Vendor of the model")),
  compartmentID: opt(str("Cloud compartment that the model belongs to")),
};

const condition = obj("Condition of the object", {
  type: str("Type of the condition"),
  status: oneOf("Status of the condition", ["True", "False", "Unknown"]),
  reason: str("Reason for the last transition, in CamelCase"),
  message: str("Explanation, and what to do"),
  lastTransitionTime: time("Time when the status of the condition last changed"),
  observedGeneration: opt(int64("Generation of the object that the condition was set for", { minimum: 0 })),
});

export const modelStatus = obj("Observed state of the files", {
  lifecycle: opt(str("Lifecycle stage, set by users: Deprecated, Experiment, Public or Internal")),
  state: opt(oneOf("State of the files", ["Creating", "Importing", "In_Transit", "In_Training", "Ready", "Failed"])),
  nodesReady: opt(list("Nodes that have all files", str("Name of the node"))),
  nodesFailed: opt(list("Nodes whose last download attempt failed", str("Name of the node"))),
  conditions: opt(listMap("Conditions of the object, one for each type", ["type"], condition)),
});
