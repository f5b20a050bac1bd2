import { defineKind, k8s, type ObjectOf } from "@trivium/kube";
import { as, bool, int32, int64, list, listMap, map, obj, opt, quantity, str, time } from "@trivium/schema";
import { group } from "../group.ts";

const discovery = obj("How nodes with this accelerator are found", {
  nodeSelector: opt(map("Labels that a node must have", str("Value of the label"))),
  affinity: opt(as(k8s.Affinity, "Affinity that nodes must match; the pods of services that use the class get it")),
  pciVendorID: opt(str("PCI vendor ID of the accelerator")),
  deviceIDs: opt(list("PCI device IDs of the accelerator", str("PCI device ID"))),
});

const performance = obj("Compute performance of one accelerator", {
  fp32Tflops: opt(int64("Performance in TFLOPS with 32-bit floating-point numbers")),
  fp16Tflops: opt(int64("Performance in TFLOPS with 16-bit floating-point numbers")),
  int8Tops: opt(int64("Performance in TOPS with 8-bit numbers")),
  int4Tops: opt(int64("Performance in TOPS with 4-bit numbers")),
  latency: opt(
    obj("Latency of the accelerator", {
      averageMillis: opt(int64("Average latency in milliseconds")),
      maximumMillis: opt(int64("Maximum latency in milliseconds")),
    }),
  ),
});

const capabilities = obj("Capabilities of one accelerator", {
  memoryGB: opt(quantity("Memory, such as 80Gi; a number without a unit is in GiB")),
  computeCapability: opt(str("Version of the architecture, such as 9.0")),
  levelZeroVersion: opt(str("Version of Level Zero")),
  clockSpeedMHz: opt(int32("Clock speed in MHz")),
  memoryBandwidthGBps: opt(quantity("Memory bandwidth in GB per second")),
  features: opt(list("Features, such as tensor-cores or nvlink", str("Name of a feature"))),
  performance: opt(performance),
});

const resource = obj("Resource that pods request to get this accelerator", {
  name: str("Name of the resource, such as nvidia.com/gpu"),
  quantity: opt(quantity("Quantity of the resource for each pod", { default: "1" })),
  divisible: opt(bool("Whether the resource can be divided")),
});

const integration = obj("Names of this accelerator in queueing systems", {
  kueueResourceFlavor: opt(str("Name of the ResourceFlavor of Kueue")),
  volcanoGPUType: opt(str("GPU type of Volcano")),
});

const cost = obj("Cost of the accelerator", {
  perHour: opt(quantity("Price of one hour")),
  perMillionTokens: opt(quantity("Price of one million tokens")),
  spotPerHour: opt(quantity("Price of one hour on the spot market")),
  tier: opt(str("Price tier: low, medium or high")),
});

const spec = obj("Properties of the accelerator, and how its nodes are found", {
  vendor: opt(str("Vendor of the accelerator, such as nvidia")),
  family: opt(str("Architecture family, such as hopper")),
  model: opt(str("Model, such as h100")),
  discovery,
  capabilities,
  resources: opt(list("Resources that pods request", resource)),
  integration: opt(integration),
  cost: opt(cost),
});

const status = obj("Nodes that have the accelerator", {
  nodes: opt(list("Nodes that match spec.discovery", str("Name of a node"))),
  totalAccelerators: opt(int32("Number of accelerators on these nodes")),
  availableAccelerators: opt(int32("Number of accelerators that are not in use")),
  availableNodes: opt(int32("Number of matching nodes that are ready and accept pods")),
  lastUpdated: opt(time("Time of the last change of the status")),
  conditions: opt(listMap("Conditions of the class, one for each type", ["type"], k8s.Condition)),
});

export const AcceleratorClass = defineKind({
  ...group,
  scope: "Cluster",
  kind: "AcceleratorClass",
  plural: "acceleratorclasses",
  description: "A kind of accelerator: its capabilities, the nodes that have it, and what pods request to get it",
  columns: [
    { name: "Vendor", type: "string", jsonPath: ".spec.vendor" },
    { name: "Family", type: "string", jsonPath: ".spec.family" },
    { name: "Memory", type: "string", jsonPath: ".spec.capabilities.memoryGB" },
    { name: "Nodes", type: "integer", jsonPath: ".status.availableNodes" },
    { name: "Reason", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
});
export type AcceleratorClass = ObjectOf<typeof AcceleratorClass>;
