export * from "./questions.ts";
export { type AutoscalerSeen, autoscalerReconciler } from "./reconciler.ts";
export { type Scale, type ScaleTarget, workloadTargets } from "./targets.ts";
