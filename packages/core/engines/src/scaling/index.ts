export {
  type InstalledScalers,
  planReplicas,
  planScaling,
  type ReplicaRequest,
  type ScalingRequest,
} from "./plan-scaling.ts";
