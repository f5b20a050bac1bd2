import type { UpstreamOperator } from "@trivium/reconcile";

export const upstream: UpstreamOperator = {
  name: "LLMKube",
  managers: ["manager"],
  namespaces: ["llmkube-system"],
  leases: ["882d6afe.llmkube.dev"],
  finalizers: ["loraadapter.inference.llmkube.dev/finalizer"],
};
