import type { UpstreamOperator } from "@trivium/reconcile";

export const upstream: UpstreamOperator = {
  name: "AIM Engine",
  managers: [
    "aim-service-controller",
    "aim-image-controller",
    "aim-cluster-image-controller",
    "aim-namespace-template-controller",
    "aim-cluster-template-controller",
    "aim-cluster-model-source-controller",
    "modelcache-controller",
    "aimkvcache-controller",
    // Since release 0.2.
    "aim-artifact-controller",
    "aim-cluster-model-controller",
    "aim-cluster-service-template-controller",
    "aim-model-controller",
    "aim-service-template-controller",
    "aim-template-cache-controller",
    "manager",
  ],
  namespaces: ["kaiwo-system", "aim-system"],
  leases: ["83fc2279.silogen.ai", "3be10d2f.eai.amd.com"],
  // Those of releases before 0.2 have the names of ours.
  finalizers: ["aim.eai.amd.com/template-cache-cleanup", "aim.eai.amd.com/artifactcleanup"],
};
