import type { CanaryPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { planCanary } from "@trivium/engines";
import { keepEnd, serviceNameOf, templateAnnotation } from "../../names.ts";
import type { ComponentSpec } from "./component.ts";
import type { ComponentInput } from "./component-parts.ts";

/** While `canaryTrafficPercent` is set, a new template runs beside the old one, where routes can split traffic. */
export function canaryOf(
  { spec, live, canary, canSplit }: ComponentInput,
  { workload, address }: { readonly workload: WorkloadPlan; readonly address: ServicePlan },
): CanaryPlan | undefined {
  if (!canSplit) return undefined;
  const name = `${workload.name}-canary`;
  return planCanary({
    percent: spec.canaryTrafficPercent,
    workload,
    address,
    template: workload.pod.annotations[templateAnnotation] ?? "",
    live: live?.template,
    canary: canary && { template: canary.template, isAvailable: canary.available?.status === "True" },
    names: { workload: name, address: serviceNameOf(name), selector: { app: keepEnd(name, 63) } },
  });
}

const isTrial = ({ canaryTrafficPercent: percent }: ComponentSpec): boolean => percent !== undefined && percent < 100;

/** Why there is no trial although one is asked for. */
export function whyUntried({ component, spec, mode, canSplit }: ComponentInput): { readonly untried?: string } {
  if (!isTrial(spec) || (mode === "RawDeployment" && canSplit)) return {};
  const why =
    mode !== "RawDeployment"
      ? "multi-node replicas are updated one at a time; remove it"
      : "traffic cannot be split by weight without the Gateway API; set enableGatewayAPI to true, or remove it";
  return { untried: `canaryTrafficPercent of ${component} has no effect: ${why}` };
}
