import type { FailureReason } from "../../reasons.ts";
import type { NamedWeight, ObservedWeight } from "./observe-weights.ts";

/** What a service serves on top of its model, or instead of it. */
export type ServedWeights =
  | { readonly is: "adapters"; readonly weights: readonly ObservedWeight[] }
  | { readonly is: "merged"; readonly weight: ObservedWeight };

export type ResolvedWeights =
  | { readonly is: "none" }
  | { readonly is: "resolved"; readonly served: ServedWeights }
  | {
      readonly is: "blocked";
      readonly how: "waits" | "fails";
      readonly reason: FailureReason;
      readonly message: string;
    };

interface ServedModel {
  readonly name: string;
  readonly scope: "namespace" | "cluster";
}

type Input = { readonly model: ServedModel; readonly namespace: string | undefined };

/** Whether the weights that a service names can be served with its model; the first that cannot is told. */
export function resolveWeights(named: readonly NamedWeight[], input: Input): ResolvedWeights {
  if (named.length === 0) return { is: "none" };
  const weights: ObservedWeight[] = [];
  // By name: another order in the spec starts no pod anew.
  for (const { name, weight } of [...named].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (weight.is !== "known") {
      const message = `FineTunedWeight ${name} not found; create it, or remove it from spec.model.fineTunedWeights`;
      return { is: "blocked", how: "waits", reason: "FineTunedWeightsNotFound", message };
    }
    const problem = problemOf(weight.value, input);
    if (problem !== undefined) return problem;
    weights.push(weight.value);
  }
  return together(weights);
}

const fails = (reason: FailureReason, message: string): ResolvedWeights => ({
  is: "blocked",
  how: "fails",
  reason,
  message,
});

function problemOf(weight: ObservedWeight, { model, namespace }: Input): ResolvedWeights | undefined {
  const { name, place, base, isDisabled, strategy, isMerged } = weight;
  const subject = `FineTunedWeight ${name}`;
  if (isDisabled)
    return fails(
      "FineTunedWeightsDisabled",
      `${subject} is disabled; enable it, or remove it from spec.model.fineTunedWeights`,
    );
  if (!isOfModel(base, model, namespace)) {
    const tuned = `${base.name}${base.namespace ? ` of namespace ${base.namespace}` : ""}`;
    const message = `${subject} was fine-tuned from model ${tuned} and cannot be served on top of model ${model.name}; change spec.model.name or spec.model.fineTunedWeights`;
    return fails("InvalidPredictorSpec", message);
  }
  if (place.is === "faulty") return fails("InvalidPredictorSpec", `${subject}: ${place.why}; correct it`);
  if (place.is === "claim" && place.namespace !== namespace) {
    const message = `${subject} is on a PersistentVolumeClaim in namespace ${place.namespace}, which only services in that namespace can mount; create the service there, or use other weights`;
    return fails("InvalidPredictorSpec", message);
  }
  if (isMerged) return undefined;
  if (strategies.includes(strategy)) return unreadOf(weight);
  const message = `${subject}: strategy ${strategy} of its hyperParameters is not supported (supported: ${strategies.join(", ")}, or merged weights); correct spec.hyperParameters of it`;
  return fails("InvalidPredictorSpec", message);
}

/** What an engine is told depends on what the files are: pods that were made before would all be made again. */
function unreadOf({ name, state, why, adapter, bringer }: ObservedWeight): ResolvedWeights | undefined {
  if (bringer === "pod" || state === "Ready" || Object.keys(adapter).length > 0) return undefined;
  const waits = { is: "blocked", how: "waits" } as const;
  if (state === "Failed") {
    const message = `FineTunedWeight ${name} failed${why === undefined ? "" : `: ${why}`}`;
    return { ...waits, reason: "FineTuneWeightLoadFailed", message };
  }
  const message = `FineTunedWeight ${name} is ${state ?? "new"}${why === undefined ? "" : `: ${why}`}; its properties are unknown until its files are downloaded`;
  return { ...waits, reason: "BaseModelNotReady", message };
}

const strategies = ["lora", "tfew"];

/** A reference without a namespace means the model that the service finds by that name. */
function isOfModel(base: ObservedWeight["base"], { name, scope }: ServedModel, namespace: string | undefined): boolean {
  if (base.name !== name) return false;
  return !base.namespace || (scope === "namespace" && base.namespace === namespace);
}

function together(weights: readonly ObservedWeight[]): ResolvedWeights {
  const merged = weights.find(({ isMerged }) => isMerged);
  const [first] = weights;
  if (merged !== undefined && weights.length > 1) {
    const message = `FineTunedWeight ${merged.name} contains the merged model and must be the only entry in spec.model.fineTunedWeights; remove the others`;
    return fails("InvalidPredictorSpec", message);
  }
  if (merged !== undefined) return { is: "resolved", served: { is: "merged", weight: merged } };
  if (weights.length > 1 && weights.some(({ strategy }) => strategy !== "lora"))
    return fails(
      "InvalidPredictorSpec",
      `Only weights with strategy lora can be served together; keep only ${first?.name} in spec.model.fineTunedWeights`,
    );
  return { is: "resolved", served: { is: "adapters", weights } };
}
