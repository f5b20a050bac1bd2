import type { PodPlan, RoleIntent, RoleShape } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { templateAnnotation } from "../../names.ts";
import type { ObservedService } from "../observed/service.ts";
import type { ComponentPlan } from "./component-plan.ts";

interface Context {
  readonly service: InferenceService;
  readonly observed: ObservedService;
}

/** A component in the words that all dialects share, with what is observed of it. */
export function roleOf(plan: ComponentPlan, { service, observed }: Context): RoleIntent {
  const { name, replicas, access } = plan;
  const deployment = observed.deployments[name];
  const live = deployment?.is === "known" ? deployment.value : undefined;
  const newest = podOf(plan).annotations[templateAnnotation] ?? "";
  const canary = plan.mode === "RawDeployment" ? plan.canary : undefined;
  const shared = {
    name,
    shape: shapeOf(plan),
    replicas,
    ...(access === undefined ? {} : { access }),
    observed: {
      // While a newer template is tried out, what serves is the one before.
      template: canary === undefined ? newest : (live?.template ?? newest),
      pods: observed.pods[name],
      refused: live?.refused,
      wasServing: service.status?.modelStatus?.modelRevisionStates?.activeModelState === "Loaded",
    },
  };
  // Knative creates the address, and decides how many pods there are.
  if (plan.mode === "Serverless") return { ...shared, scaling: { is: "elsewhere" } };
  const { address, scaling, disruption } = plan;
  return { ...shared, address, scaling, disruption, ...(canary === undefined ? {} : { canary }) };
}

function shapeOf(plan: ComponentPlan): RoleShape {
  switch (plan.mode) {
    case "RawDeployment":
      return { is: "deployment", workload: plan.workload, strategy: plan.strategy };
    case "MultiNode":
      return { is: "group", group: plan.group };
    case "Serverless":
      return { is: "serverless", serverless: plan.serverless };
  }
}

/** The pod that serves; of a group its leader. */
export function podOf(plan: ComponentPlan): PodPlan {
  switch (plan.mode) {
    case "RawDeployment":
      return plan.workload.pod;
    case "MultiNode":
      return plan.group.leader;
    case "Serverless":
      return plan.serverless.pod;
  }
}
