export type { AdapterPlan } from "./adapter-plan.ts";
export { AdapterRefusal, dressContainer, dressPod, mountWith } from "./dress-pod.ts";
export { type NamedWeight, type ObservedWeight, observeWeights } from "./observe-weights.ts";
export { type ResolvedWeights, resolveWeights, type ServedWeights } from "./resolve-weights.ts";
export { adapterNamesOf, weightAnnotationsOf, weightLabelsOf, weightListing, weightsNotReady } from "./weight-words.ts";
