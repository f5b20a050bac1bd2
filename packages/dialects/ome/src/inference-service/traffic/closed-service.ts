import type { ServicePlan } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { componentLabel, labelValueOf, serviceLabel, serviceNameOf } from "../../names.ts";
import type { Blocked } from "../selection/blocked.ts";
import { entryLabels } from "./entry-labels.ts";

/** The address of a service for which nothing can be created yet: the gateway starts nothing for it, and gives callers the cause. */
export function planClosedService(service: InferenceService, blocked: Blocked): ServicePlan {
  const { name = "" } = service.metadata;
  const why = closureOf(name, blocked);
  return {
    name: serviceNameOf(name),
    labels: entryLabels(service),
    annotations: { "trivium.dev/models": name, "trivium.dev/closed": why },
    selector: { [serviceLabel]: labelValueOf(name), [componentLabel]: "engine" },
    type: "ClusterIP",
    ports: [{ name: "http", port: 8080, target: 8080 }],
  };
}

/** Without figures while a download is in progress: the Service is not written again for each of them. */
const closureOf = (name: string, { reason, model, message }: Blocked): string =>
  reason === "BaseModelNotReady" && model !== undefined && model.state !== "Failed"
    ? `The weights of model ${model.name} are not ready yet; check the progress with kubectl describe inferenceservices.ome.io ${name}`
    : message;
