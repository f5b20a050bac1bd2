import type { ServicePlan, WorkloadPlan } from "@trivium/domain";
import { keepEnd, serviceNameOf, templateAnnotation } from "../../names.ts";
import type { ComponentSpec } from "./component.ts";
import type { ComponentInput, WeightedBackend } from "./component-parts.ts";

/** The newest template beside the one that is rolled out, and how requests are shared until somebody decides. */
export interface CanaryPlan {
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
  readonly percent: number;
  /** Whether its pods answer; until then they get no requests. */
  readonly isUp: boolean;
  readonly backends: readonly WeightedBackend[];
}

/**
 * While `canaryTrafficPercent` is set, a new template runs beside the old one, which is not touched. Taking the setting away, or 100,
 * rolls the new one out; going back to the old spec ends the trial.
 */
export function planCanary(
  { spec, live, canary, canSplit }: ComponentInput,
  { workload, address }: { readonly workload: WorkloadPlan; readonly address: ServicePlan },
): CanaryPlan | undefined {
  const percent = spec.canaryTrafficPercent;
  if (percent === undefined || !isTrial(spec) || !canSplit) return undefined;
  const template = workload.pod.annotations[templateAnnotation];
  const isNew = live?.template !== undefined && live.template !== template;
  if (!isNew || workload.replicas === 0) return undefined;
  const name = `${workload.name}-canary`;
  const selector = { app: keepEnd(name, 63) };
  const labels = { ...workload.labels, ...selector };
  const trial: WorkloadPlan = {
    ...workload,
    name,
    labels,
    selector,
    pod: { ...workload.pod, labels: { ...workload.pod.labels, ...selector } },
    replicas: Math.max(1, Math.ceil((workload.replicas * percent) / 100)),
  };
  const trialAddress = { ...address, name: serviceNameOf(name), labels: { ...address.labels, ...selector }, selector };
  const isUp = canary?.template === template && canary?.available?.status === "True";
  const port = address.ports[0]?.port ?? 8080;
  const weight = isUp ? percent : 0;
  return {
    workload: trial,
    address: trialAddress,
    percent,
    isUp,
    backends: [
      { name: address.name, port, weight: 100 - weight },
      { name: trialAddress.name, port, weight },
    ],
  };
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
