import type { CanaryPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { describeUnsharedCanary, planCanary, type ServingAnnotations, servingAnnotations } from "@trivium/engines";
import { templateAnnotation } from "../../names.ts";
import { canaryNamesOf } from "../names/labels.ts";
import type { ComponentSpec } from "./component.ts";
import type { ComponentInput } from "./component-parts.ts";

/** While `canaryTrafficPercent` is set, a new template runs beside the old one, where routes can split traffic. */
export function canaryOf(
  { service, component, spec, live, canary, canSplit }: ComponentInput,
  { workload, address }: { readonly workload: WorkloadPlan; readonly address: ServicePlan },
): CanaryPlan | undefined {
  if (!canSplit) return undefined;
  return planCanary({
    percent: spec.canaryTrafficPercent,
    workload,
    address,
    template: workload.pod.annotations[templateAnnotation] ?? "",
    live: live?.template,
    observed: canary,
    names: canaryNamesOf(service, component),
  });
}

/** The share of requests for the newest template: the field, else the annotation that all dialects have. */
export function withCanaryPercent(
  spec: ComponentSpec,
  { canaryPercent }: Pick<ServingAnnotations, "canaryPercent">,
): ComponentSpec {
  const percent = spec.canaryTrafficPercent ?? canaryPercent;
  return percent === undefined ? spec : { ...spec, canaryTrafficPercent: percent };
}

export const canarySettingOf = ({ service, component }: Pick<ComponentInput, "service" | "component">): string =>
  service.spec[component]?.canaryTrafficPercent === undefined
    ? `annotation ${servingAnnotations.canaryPercent}`
    : `spec.${component}.canaryTrafficPercent`;

const isTrial = ({ canaryTrafficPercent: percent }: ComponentSpec): boolean => percent !== undefined && percent < 100;

/** Why there is no trial although one is asked for. */
export function whyUntried(input: ComponentInput): { readonly untried?: string } {
  const { spec, mode, canSplit, component, entry } = input;
  if (!isTrial(spec) || (mode === "RawDeployment" && canSplit)) return {};
  const setting = canarySettingOf(input);
  if (mode === "RawDeployment" && component === entry) {
    const remedy = `set annotation ${servingAnnotations.gateway} to a Gateway, or enableGatewayAPI to true in key ingress of ConfigMap ${input.configMap}`;
    return { untried: describeUnsharedCanary(remedy, setting) };
  }
  const why =
    mode !== "RawDeployment"
      ? "multi-node replicas are updated one at a time; remove it"
      : `requests come in at ${entry}; set spec.${entry}.canaryTrafficPercent, or remove it`;
  return { untried: `${setting.replace(/^a/, "A")} has no effect: ${why}` };
}
