import { type Admission, newFaults } from "@trivium/reconcile";
import { type FieldError, forbidden, invalid } from "@trivium/schema";
import { limitsOn } from "../inference-service/status/ignored-fields.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import type { EngineLimit } from "../options.ts";

/** Refuses what the engine of this installation cannot carry out, with the remedy. */
export const serviceAdmission = (limits: readonly EngineLimit[]): Admission<InferenceService, null> => ({
  kind: InferenceService,
  verbs: ["create", "update"],
  reads: [],
  observe: () => null,
  judge: (request) => ({ faults: newFaults(request, (service) => faultsOf(service, limits)), warnings: [] }),
});

const faultsOf = ({ spec }: InferenceService, limits: readonly EngineLimit[]): FieldError[] =>
  limitsOn(spec, limits)
    .filter(({ outcome }) => outcome === "refused")
    .map(({ field, why }) => {
      const { type } = (spec as Record<string, unknown>)[field] as { readonly type?: string };
      return type === undefined ? forbidden(`spec.${field}`, why) : invalid(`spec.${field}.type`, type, why);
    });
