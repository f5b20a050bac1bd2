import type { RoleIntent } from "@trivium/domain";
import { templateAnnotation } from "../names/labels.ts";
import { isOnKServe, type ObservedService } from "../observed/observed-service.ts";
import type { Scaling } from "../scaling/plan-scaling.ts";
import { planInference } from "./inference.ts";
import type { PlacedInput } from "./server-input.ts";
import { planAddress, planWorkload } from "./workload.ts";

/** The server: KServe runs it where it is installed, otherwise a Deployment does. */
export function planRole(input: PlacedInput, scaling: Scaling, observed: ObservedService): RoleIntent {
  const { service, replicas } = input;
  const { min, max } = replicas;
  const { pods } = observed;
  const wasServing = service.status?.status === "Running";
  if (isOnKServe(observed)) {
    const shape = { is: "kserve", inference: planInference(input) } as const;
    const bounds = { min, max, current: min };
    return { name: roleName, shape, replicas: bounds, scaling, observed: { template: "", pods, wasServing } };
  }
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const workload = planWorkload(input, scaling, live);
  return {
    name: roleName,
    shape: { is: "deployment", workload },
    address: planAddress(input),
    replicas: { min, max, current: workload.replicas },
    scaling,
    observed: {
      template: workload.pod.annotations[templateAnnotation] ?? "",
      pods,
      refused: live?.refused,
      wasServing,
    },
  };
}

const roleName = "predictor";
