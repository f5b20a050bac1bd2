export { nodeTaintReconciler } from "./node-taints.ts";
export { podCollectionReconciler } from "./pod-collection.ts";
export { taintEvictionReconciler } from "./taint-eviction.ts";
