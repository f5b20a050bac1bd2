import type { PlannedRole, ServingPlan } from "@trivium/domain";
import {
  emitAutoscaler,
  emitClaim,
  emitCollector,
  emitDeployment,
  emitHttpRoute,
  emitInferenceService,
  emitScaledObject,
  emitService,
} from "@trivium/emitters";
import type { Desired } from "@trivium/reconcile";

export function emitPlan({ claims, roles, routes }: ServingPlan): Desired[] {
  return [...claims.map(emitClaim), ...roles.flatMap(emitRole), ...routes.map(emitHttpRoute)];
}

function emitRole({ shape, address, scaling }: PlannedRole): Desired[] {
  if (shape.is === "kserve") return [emitInferenceService(shape.inference)];
  if (shape.is !== "deployment") return [];
  return [
    emitDeployment(shape.workload),
    ...(address === undefined ? [] : [emitService(address)]),
    ...(scaling.is === "hpa" ? [emitAutoscaler(scaling.plan)] : []),
    ...(scaling.is === "keda" ? [emitScaledObject(scaling.plan)] : []),
    ...(scaling.is === "keda" && scaling.collector !== undefined ? [emitCollector(scaling.collector)] : []),
  ];
}
