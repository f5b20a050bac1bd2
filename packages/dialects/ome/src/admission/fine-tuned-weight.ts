import { type Admission, newFaults } from "@trivium/reconcile";
import { isObject, type Json } from "@trivium/std";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { faultsOfMove, faultsOfStorage, isMoved } from "./storage-rules.ts";
import { listed, usersOfWeight } from "./users.ts";

const reads = [InferenceService, BaseModel, ClusterBaseModel] as const;

interface Context {
  readonly users: readonly string[];
  /** Whether the model that it was tuned from is known not to be there. */
  readonly isOrphan: boolean;
}

export const weightAdmission = (options: OmeOptions): Admission<FineTunedWeight, Context, (typeof reads)[number]> => ({
  kind: FineTunedWeight,
  verbs: ["create", "update", "delete"],
  reads,
  observe(request, reader) {
    const { metadata, spec } = request.object;
    const { name, namespace } = spec.baseModelRef;
    return {
      users: request.verb === "delete" || isMoved(request) ? usersOfWeight(metadata.name ?? "", reader) : [],
      isOrphan: reader.nearest([BaseModel, ClusterBaseModel], { namespace, name }).is === "absent",
    };
  },
  judge(request, { users, isOrphan }) {
    if (request.verb === "delete") return { faults: [], warnings: users.length === 0 ? [] : [inUse(users)] };
    const faults = newFaults(request, (weight) => faultsOfStorage(weight, options));
    const { baseModelRef, hyperParameters } = request.object.spec;
    const warnings = [
      ...(isOrphan
        ? [`spec.baseModelRef: model ${baseModelRef.name} not found; the weights can be served when it is created`]
        : []),
      ...(hasStrategy(hyperParameters as Json)
        ? []
        : ["spec.hyperParameters.strategy is not set (expected e.g. lora)"]),
    ];
    return { faults: [...faults, ...faultsOfMove(request, users)], warnings };
  },
});

const hasStrategy = (parameters: Json | undefined): boolean =>
  isObject(parameters) && typeof parameters.strategy === "string" && parameters.strategy !== "";

const inUse = (users: readonly string[]): string =>
  `still used by InferenceService ${listed(users)}; new pods of the service cannot start without it`;
