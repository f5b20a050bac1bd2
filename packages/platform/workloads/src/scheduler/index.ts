export { isTolerated, tolerates, untoleratedTaint } from "./filters/taints.ts";
export { type Placement, placePods } from "./place-pods.ts";
export { schedulerReconciler } from "./reconciler.ts";
export type { ObservedSnapshot } from "./snapshot/snapshot.ts";
