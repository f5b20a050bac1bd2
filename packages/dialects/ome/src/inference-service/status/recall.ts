import { findFit } from "@trivium/engines";
import { isConditionTrue } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";

/** What of its own status a service is decided by. */
export function recallService(service: InferenceService): unknown {
  const { url, components = {}, conditions, modelStatus, observedGeneration } = service.status ?? {};
  const active = modelStatus?.modelRevisionStates?.activeModelState ?? "Pending";
  return {
    url,
    active,
    // Which revisions of Knative had all requests.
    revisions: Object.entries(components).flatMap(([name, one]) =>
      one.latestRolledoutRevision ? [[name, one.latestRolledoutRevision, one.previousRolledoutRevision]] : [],
    ),
    readyAt: isConditionTrue(conditions, "Ready") ? observedGeneration : undefined,
    // The sum is computed again until the model was loaded.
    fit: active === "Pending" ? undefined : findFit(service),
  };
}
