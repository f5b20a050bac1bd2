import type { DefinedKind } from "@trivium/kube";
import { type Admission, type AnyAdmission, newFaults } from "@trivium/reconcile";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { parseModelSize } from "../selection/model-size.ts";
import { faultsOfMove, faultsOfStorage, isMoved } from "./storage-rules.ts";
import { listed, usersOfModel } from "./users.ts";

const reads = [InferenceService, BaseModel] as const;

interface Context {
  /** Services that serve it; looked for when that matters. */
  readonly users: readonly string[];
}

/** One for models of a namespace, one for those of the cluster. */
export const modelAdmissions = (options: OmeOptions): AnyAdmission[] => [
  admissionOf(BaseModel, options),
  admissionOf(ClusterBaseModel as never, options),
];

function admissionOf(
  kind: DefinedKind<BaseModel>,
  options: OmeOptions,
): Admission<BaseModel, Context, (typeof reads)[number]> {
  return {
    kind,
    verbs: ["create", "update", "delete"],
    reads,
    observe: (request, reader) => ({
      users: request.verb === "delete" || isMoved(request) ? usersOfModel(request.object, reader) : [],
    }),
    judge(request, { users }) {
      if (request.verb === "delete") return { faults: [], warnings: users.length === 0 ? [] : [inUse(users)] };
      const faults = newFaults(request, (model) => faultsOfStorage(model, options));
      return { faults: [...faults, ...faultsOfMove(request, users)], warnings: warningsOf(request.object) };
    },
  };
}

const inUse = (users: readonly string[]): string =>
  `still used by InferenceService ${listed(users)}; nodes delete the files, and new pods of the service cannot start without them`;

function warningsOf({ spec }: BaseModel): string[] {
  const { modelParameterSize: size } = spec;
  if (!size || parseModelSize(size) !== undefined) return [];
  return [
    `spec.modelParameterSize: ${size} is not a valid number of parameters (expected e.g. 7B); no runtime with a modelSizeRange matches it`,
  ];
}
