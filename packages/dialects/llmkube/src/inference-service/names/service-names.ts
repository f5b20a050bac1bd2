import type { CanaryNames } from "@trivium/engines";
import { nameWithHash } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { modelLabel, runtimeLabel, serviceLabel } from "../../names.ts";

export function labelsOf({ metadata, spec }: InferenceService): Record<string, string> {
  return {
    ...selectorOf({ metadata }),
    [modelLabel]: spec.modelRef,
    [runtimeLabel]: spec.runtime ?? "llamacpp",
  };
}

/** Without the Model, so that a service can change it and keep its Deployment. */
export function selectorOf({ metadata }: Pick<InferenceService, "metadata">): Record<string, string> {
  const name = metadata.name ?? "";
  return { app: name, [serviceLabel]: name };
}

/** A Service is named by a DNS label, and dots are none. */
export function serviceNameOf({ metadata }: InferenceService): string {
  const name = (metadata.name ?? "").replaceAll(".", "-");
  return name.length <= 63 ? name : nameWithHash(name, name, 63);
}

/** What tries out a new spec. Its pods are found by no selector of the service. */
export function canaryNamesOf(service: InferenceService): CanaryNames {
  const workload = `${service.metadata.name}-canary`;
  const app = workload.slice(-63).replace(/^[^a-z0-9]+/, "");
  return {
    workload,
    address: `${serviceNameOf(service)}-canary`.slice(-63),
    selector: { ...selectorOf(service), app },
  };
}
