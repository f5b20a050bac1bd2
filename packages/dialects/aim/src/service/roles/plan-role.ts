import type { RoleIntent } from "@trivium/domain";
import type { ServingAnnotations } from "@trivium/engines";
import { templateAnnotation } from "../names/labels.ts";
import { isOnKServe, type ObservedService } from "../observed/observed-service.ts";
import type { Scaling } from "../scaling/lower-scaling.ts";
import { lowerCanary } from "../traffic/canary.ts";
import { planInference } from "./inference.ts";
import type { PlacedInput } from "./server-input.ts";
import { planAddress, planWorkload } from "./workload.ts";

interface RoleContext {
  readonly scaling: Scaling;
  readonly annotations: ServingAnnotations;
  readonly hasRoute: boolean;
}

/** The server: KServe runs it where it is installed, otherwise a Deployment does. */
export function planRole(
  input: PlacedInput,
  { scaling, annotations, hasRoute }: RoleContext,
  observed: ObservedService,
): RoleIntent {
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
  const address = planAddress(input);
  const canary = lowerCanary({ service, annotations, hasRoute, workload, address }, observed);
  const newest = workload.pod.annotations[templateAnnotation] ?? "";
  return {
    name: roleName,
    shape: { is: "deployment", workload },
    address,
    replicas: { min, max, current: workload.replicas },
    scaling,
    canary,
    observed: {
      // While a newer template is tried out, what serves is the one before.
      template: canary === undefined ? newest : (live?.template ?? newest),
      pods,
      refused: live?.refused,
      wasServing,
    },
  };
}

const roleName = "predictor";
