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
    "manager",
  ],
  namespaces: ["kaiwo-system", "aim-system"],
  leases: ["83fc2279.silogen.ai", "3be10d2f.eai.amd.com"],
  finalizers: [],
};
