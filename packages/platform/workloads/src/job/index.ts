export { jobOrphanReconciler } from "./orphans.ts";
export { isOver, jobReconciler, type ObservedJob } from "./reconciler.ts";
export { jobTtlReconciler } from "./ttl.ts";
