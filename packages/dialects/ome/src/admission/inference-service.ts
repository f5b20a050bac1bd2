import { type Admission, newFaults } from "@trivium/reconcile";
import { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { observeContext, type ServiceContext, serviceContext } from "./observed-service.ts";
import { fillService } from "./service-defaults.ts";
import { faultsOfService } from "./service-faults.ts";
import { warningsOfService } from "./service-warnings.ts";

export function serviceAdmission(
  options: OmeOptions,
): Admission<InferenceService, ServiceContext, (typeof serviceContext)[number]> {
  return {
    kind: InferenceService,
    verbs: ["create", "update"],
    reads: serviceContext,
    observe: (request, reader) => observeContext(request, reader, options),
    fill: (request, { configuration }) =>
      fillService(request, configuration.is === "known" ? configuration.value : undefined, options),
    judge(request, observed) {
      const faults = newFaults(request, faultsOfService);
      return { faults, warnings: faults.length > 0 ? [] : warningsOfService(request, observed, options) };
    },
  };
}
