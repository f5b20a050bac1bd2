import { bool, list, obj, oneOf, opt, str } from "@trivium/schema";

/** What models and weights have in common. */
export const modelExtension = {
  displayName: opt(str("Name for people")),
  version: opt(str("Version of the model")),
  disabled: opt(bool("Keep services from using it")),
  vendor: opt(str("Who made it")),
  compartmentID: opt(str("Compartment of the cloud account it belongs to")),
};

export const modelStatus = obj("Where the files are", {
  lifecycle: opt(str("Stage of its life, set by people: Deprecated, Experiment, Public or Internal")),
  state: opt(oneOf("State of the files", ["Creating", "Importing", "In_Transit", "In_Training", "Ready", "Failed"])),
  nodesReady: opt(list("Nodes that hold a complete copy", str("Name of the node"))),
  nodesFailed: opt(list("Nodes whose last try failed", str("Name of the node"))),
});
