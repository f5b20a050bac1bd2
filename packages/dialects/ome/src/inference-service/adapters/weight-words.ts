import { labelValueOf } from "../../names.ts";
import type { ObservedWeight } from "./observe-weights.ts";
import type { ServedWeights } from "./resolve-weights.ts";

const weightsOf = (served: ServedWeights): readonly ObservedWeight[] =>
  served.is === "merged" ? [served.weight] : served.weights;

/** Labels of pods that serve tuned weights. */
export function weightLabelsOf(served: ServedWeights | undefined): Record<string, string> {
  if (served === undefined) return { "fine-tuned-serving": "false" };
  const [first] = weightsOf(served);
  return {
    "fine-tuned-serving": "true",
    "fine-tuned-weight-ft-strategy": labelValueOf(first?.strategy ?? ""),
    "fine-tuned-serving-with-merged-weights": String(served.is === "merged"),
  };
}

/** Annotations of pods that serve tuned weights, under the names that others look for. */
export function weightAnnotationsOf(served: ServedWeights | undefined): Record<string, string> {
  if (served === undefined) return {};
  const weights = weightsOf(served);
  return {
    "ome.io/fine-tuned-weights": weights.map(({ name }) => name).join(","),
    "ome.io/fine-tuned-weight-ft-strategy": weights[0]?.strategy ?? "",
    "ome.io/fine-tuned-serving-with-merged-weights": String(served.is === "merged"),
  };
}

/** The names that engines answer to besides the model's: those of adapters, where each can be asked for. */
export const adapterNamesOf = (served: ServedWeights | undefined): string[] =>
  served?.is === "adapters" ? served.weights.map(({ name }) => name) : [];

/** What the listing of the service says of them; nothing secret. */
export function weightListing(served: ServedWeights | undefined): { readonly fineTunedWeightSpec?: object } {
  if (served === undefined) return {};
  const listed = weightsOf(served).map(({ name, storageUri, place, strategy, isMerged, listed: more = {} }) => ({
    name,
    storageUri,
    path: place.is === "faulty" ? "" : place.path,
    // Named one by one: the text must not change with the order in which the fields were read.
    ...(more.schemaPath === undefined ? {} : { schemaPath: more.schemaPath }),
    ...(more.storageKey === undefined ? {} : { storageKey: more.storageKey }),
    ...(more.modelType === undefined ? {} : { modelType: more.modelType }),
    strategy,
    mergedWeights: isMerged,
  }));
  return { fineTunedWeightSpec: listed.length === 1 ? (listed[0] as object) : listed };
}

/** What keeps pods from finding a node although the model is there. */
export function weightsNotReady(
  served: ServedWeights | undefined,
): { readonly reason: "ModelNotReady" | "ModelFailed"; readonly message: string } | undefined {
  if (served === undefined) return undefined;
  const held = weightsOf(served).filter(({ bringer }) => bringer === "node");
  const failed = held.find(({ state }) => state === "Failed");
  if (failed !== undefined) {
    const message = `FineTunedWeight ${failed.name} failed${failed.why === undefined ? "" : `: ${failed.why}`}`;
    return { reason: "ModelFailed", message };
  }
  const late = held.find(({ state }) => state !== "Ready");
  if (late === undefined) return undefined;
  const cause = late.why === undefined ? "; pods wait until one has it" : `: ${late.why}`;
  const message = `FineTunedWeight ${late.name} is not on any node yet${cause}`;
  return { reason: "ModelNotReady", message };
}
