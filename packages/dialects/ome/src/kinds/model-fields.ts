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

const count = (description: string) => opt(int64(description, { minimum: 0 }));

const download = obj("Download of the files to one node", {
  node: str("Name of the node"),
  queued: opt(bool("Whether the node finishes other downloads first")),
  bytesDone: count("Bytes downloaded"),
  bytesTotal: count("Bytes of all files, where their size is known"),
  percent: count("Share of the bytes that is downloaded, in whole percent"),
  bytesPerSecond: count("Rate of the download"),
  secondsLeft: count("Estimated seconds until all files are downloaded"),
});

export const modelStatus = obj("Observed state of the files", {
  lifecycle: opt(str("Lifecycle stage, set by users: Deprecated, Experiment, Public or Internal")),
  state: opt(oneOf("State of the files", ["Creating", "Importing", "In_Transit", "In_Training", "Ready", "Failed"])),
  nodesReady: opt(list("Nodes that have all files", str("Name of the node"))),
  nodesFailed: opt(list("Nodes whose last download attempt failed", str("Name of the node"))),
  downloads: opt(
    listMap("Downloads in progress, of the first nodes by name; updated about once a percent", ["node"], download),
  ),
  conditions: opt(listMap("Conditions of the object, one for each type", ["type"], condition)),
});
