export { type Placement, placePods } from "./place-pods.ts";
export { schedulerReconciler } from "./reconciler.ts";
export type { ObservedSnapshot } from "./snapshot.ts";
export { isTolerated, tolerates, untoleratedTaint } from "./taints.ts";
