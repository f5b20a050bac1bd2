export { jobOrphanReconciler } from "./orphans.ts";
export { isOver, type JobSeen, jobReconciler } from "./reconciler.ts";
export { jobTtlReconciler } from "./ttl.ts";
