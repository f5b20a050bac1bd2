import type { InferenceService } from "../../kinds/inference-service.ts";
import { resolveWeights } from "../adapters/index.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import { type Blocked, fails } from "./blocked.ts";

export type ResolvedModel = { readonly is: "resolved"; readonly model: ObservedModel } | Blocked;

/** The model that a service names, with the weights that are served on top of it where it names any. */
export function resolveModel(service: InferenceService, observed: ObservedService): ResolvedModel {
  const found = findModel(service, observed);
  return found.is === "resolved" ? withWeights(service, found.model, observed) : found;
}

function findModel({ spec }: InferenceService, { model }: ObservedService): ResolvedModel {
  const name = spec.model?.name;
  if (!name) {
    const message = "A model is required; set spec.model.name";
    return fails("BaseModelNotFound", "ModelReconcileError", message);
  }
  if (model.is !== "known") {
    const kinds = spec.model?.kind === "BaseModel" ? "BaseModel" : "BaseModel or ClusterBaseModel";
    const message = `${kinds} ${name} not found; create it, or change spec.model.name`;
    return { ...fails("BaseModelNotFound", "ModelReconcileError", message), how: "waits" };
  }
  if (model.value.isDisabled) {
    const message = `Model ${name} is disabled; enable it, or change spec.model.name`;
    return { ...fails("BaseModelDisabled", "ModelReconcileError", message), model: model.value };
  }
  return { is: "resolved", model: model.value };
}

function withWeights(
  { metadata }: InferenceService,
  model: ObservedModel,
  { weights = [] }: ObservedService,
): ResolvedModel {
  const resolved = resolveWeights(weights, { model, namespace: metadata.namespace });
  if (resolved.is === "none") return { is: "resolved", model };
  if (resolved.is === "resolved") return { is: "resolved", model: { ...model, weights: resolved.served } };
  return { ...resolved, note: "ModelReconcileError", model };
}
