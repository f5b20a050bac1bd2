import type { UpstreamOperator } from "@trivium/reconcile";

export const upstream: UpstreamOperator = {
  name: "OME",
  managers: ["manager"],
  namespaces: ["ome"],
  leases: ["ome-controller-manager-leader-lock"],
  finalizers: ["inferenceservice.finalizers", "benchmarkjob.finalizers", "acceleratorclasses.ome.io/finalizer"],
};
