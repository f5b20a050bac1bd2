export { planReplicas, planScaling, type ScalingRequest } from "./plan-scaling.ts";
