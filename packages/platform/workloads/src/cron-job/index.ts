export { cronJobReconciler, type ObservedCronJob } from "./reconciler.ts";
