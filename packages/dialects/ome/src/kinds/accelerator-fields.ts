import { int32, list, obj, oneOf, opt, str } from "@trivium/schema";

export const acceleratorPolicies = ["BestFit", "Cheapest", "MostCapable", "FirstAvailable"] as const;
export type AcceleratorPolicy = (typeof acceleratorPolicies)[number];

export const acceleratorPolicy = oneOf("Policy for selecting an AcceleratorClass", acceleratorPolicies);

export const acceleratorConstraints = obj("Requirements that an AcceleratorClass must meet", {
  minMemory: opt(int32("Minimum memory in GB")),
  maxMemory: opt(int32("Maximum memory in GB")),
  minComputePerformanceTFLOPS: opt(int32("Minimum compute performance in TFLOPS")),
  minArchitectureVersion: opt(str("Minimum architecture version")),
  requiredFeatures: opt(list("Required features", str("Name of a feature"))),
  excludedClasses: opt(list("AcceleratorClasses to exclude", str("Name of an AcceleratorClass"))),
  architectureFamilies: opt(list("Allowed architecture families", str("Name of an architecture family"))),
  preferredPrecisions: opt(list("Preferred numeric precisions", str("Numeric precision, such as fp8"))),
});
