export type { ObservedFleet } from "./fleet.ts";
export { type Placement, placePods } from "./place-pods.ts";
export { schedulerReconciler } from "./reconciler.ts";
export { isTolerated, tolerates, untoleratedTaint } from "./taints.ts";
