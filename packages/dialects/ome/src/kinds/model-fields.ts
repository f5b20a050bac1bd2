import { bool, int64, list, listMap, obj, oneOf, opt, str, time } from "@trivium/schema";

/** What models and weights have in common. */
export const modelExtension = {
  displayName: opt(str("Name for people")),
  version: opt(str("Version of the model")),
  disabled: opt(bool("Keep services from using it")),
  vendor: opt(str("Who made it")),
  compartmentID: opt(str("Compartment of the cloud account it belongs to")),
};

const condition = obj("One aspect of the state", {
  type: str("The aspect"),
  status: oneOf("Whether it is so", ["True", "False", "Unknown"]),
  reason: str("Why, in one word"),
  message: str("Why, and what to do"),
  lastTransitionTime: time("When the status last changed"),
  observedGeneration: opt(int64("Generation of the spec this was found for", { minimum: 0 })),
});

export const modelStatus = obj("Where the files are", {
  lifecycle: opt(str("Stage of its life, set by people: Deprecated, Experiment, Public or Internal")),
  state: opt(oneOf("State of the files", ["Creating", "Importing", "In_Transit", "In_Training", "Ready", "Failed"])),
  nodesReady: opt(list("Nodes that hold a complete copy", str("Name of the node"))),
  nodesFailed: opt(list("Nodes whose last try failed", str("Name of the node"))),
  conditions: opt(listMap("What was found, one entry for each aspect", ["type"], condition)),
});
