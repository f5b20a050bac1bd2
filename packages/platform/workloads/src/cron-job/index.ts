export { type CronJobSeen, cronJobReconciler } from "./reconciler.ts";
