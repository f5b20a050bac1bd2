import type { ServingPlan } from "@trivium/domain";
import { emitAutoscaler, emitClaim, emitDeployment, emitService } from "@trivium/emitters";
import type { Desired } from "@trivium/reconcile";

/** Every object of a plan. An outdated Deployment is left out, so that it can be deleted. */
export function emitChildren({ roles, claims }: ServingPlan, isOutdated: boolean): Desired[] {
  return [
    ...claims.map(emitClaim),
    ...roles.flatMap(({ shape, address, scaling, keep }): Desired[] => {
      const deployment = shape.is === "deployment" && !isOutdated ? [emitDeployment(shape.workload)] : [];
      return [
        ...deployment.map((one) => (keep === true ? { ...one, keep } : one)),
        ...(address === undefined ? [] : [emitService(address)]),
        ...(scaling.is === "hpa" ? [emitAutoscaler(scaling.plan)] : []),
      ];
    }),
  ];
}
