import type { InferenceService } from "../../kinds/inference-service.ts";

/** Conditions that remember since when something is so, or that something was so before. */
const remembered = [
  "Suspended",
  "ModelTransferHealthy",
  "DriverCompatible",
  "RolloutDeferred",
  "PodRecycling",
  "GatewayReady",
];

/** What of its own status a service is decided by. */
export function recallService({ status }: InferenceService): unknown {
  const { download, rolloutTemplate, gpuQuota, conditions } = status ?? {};
  return {
    download,
    rolloutTemplate,
    gpuQuota,
    conditions: conditions?.filter(({ type }) => remembered.includes(type)) ?? [],
  };
}
