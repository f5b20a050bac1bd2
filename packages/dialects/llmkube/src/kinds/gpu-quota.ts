import { defineKind, k8s, type ObjectOf } from "@trivium/kube";
import { as, int32, int64, obj, oneOf, opt, str, time } from "@trivium/schema";
import { group } from "../group.ts";

const spec = obj(
  "Namespaces, and how many GPUs their services can use together",
  {
    namespaceRef: opt(str("Namespace whose services count")),
    selector: opt(as(k8s.LabelSelector, "Labels of the namespaces whose services count")),
    gpuCount: int32("Maximum number of GPUs of all services; 0 allows none", { minimum: 0 }),
    vramBytes: opt(int64("Maximum GPU memory of all services, in bytes; 0 or no value is no limit", { minimum: 0 })),
    minPriority: opt(
      oneOf("Lowest `spec.priority` of a service that gets GPUs", ["critical", "high", "normal", "low", "batch"]),
    ),
    costBudgetRef: opt(str("Name of a cost budget; has no effect")),
  },
  {
    rules: [
      {
        rule: "has(self.selector) != has(self.namespaceRef)",
        message: "exactly one of selector or namespaceRef must be set",
      },
    ],
  },
);

const status = obj("What services use", {
  usedGPUCount: opt(int32("Number of GPUs that are granted to services")),
  usedVRAMBytes: opt(int64("GPU memory that is granted to services, in bytes, where it is known")),
  admissionDenials: opt(int64("Number of times that a service had to wait for this quota")),
  lastDenial: opt(time("Time when a service last had to wait")),
});

export const GPUQuota = defineKind({
  ...group,
  kind: "GPUQuota",
  plural: "gpuquotas",
  shortNames: ["gq"],
  scope: "Namespaced",
  description: "A limit to the GPUs that the services of one or several namespaces use together",
  columns: [
    { name: "GPU Count", type: "integer", jsonPath: ".spec.gpuCount" },
    { name: "Used GPUs", type: "integer", jsonPath: ".status.usedGPUCount" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
});
export type GPUQuota = ObjectOf<typeof GPUQuota>;
