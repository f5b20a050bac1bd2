import type { InferenceService } from "../../kinds/inference-service.ts";
import { componentLabel, labelValueOf, serviceLabel } from "../../names.ts";

/** On everything that leads to a service. */
export const entryLabels = ({ metadata }: InferenceService): Record<string, string> => ({
  [serviceLabel]: labelValueOf(metadata.name ?? ""),
  [componentLabel]: "external-service",
});
