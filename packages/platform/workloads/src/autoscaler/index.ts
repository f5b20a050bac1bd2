export type { ObservedAutoscaler } from "./observe.ts";
export * from "./queries.ts";
export { autoscalerReconciler } from "./reconciler.ts";
export { type Scale, type ScaleTarget, workloadTargets } from "./targets.ts";
