export { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1, PodDisruptionBudget } from "../generated/kinds.ts";
