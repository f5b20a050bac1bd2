import type { CanaryPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { keepEnd } from "./keep-end.ts";

export interface CanaryInput {
  /** The share of requests that the newest template gets; nothing, or 100: it is rolled out. */
  readonly percent: number | undefined;
  /** As it would be rolled out. */
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
  /** What tells the newest template from others, and that of what is rolled out now. */
  readonly template: string;
  readonly live: string | undefined;
  /** What is observed of the canary. */
  readonly canary?: { readonly template?: string | undefined; readonly isAvailable: boolean } | undefined;
  readonly names?: Partial<CanaryNames> | undefined;
}

export interface CanaryNames {
  readonly workload: string;
  readonly address: string;
  /** At least one label of the workload's selector has another value in it, so that neither finds the pods of the other. */
  readonly selector: Readonly<Record<string, string>>;
}

/**
 * While a percentage is set, a new template runs beside the old one, which is unchanged. Removing the percentage, or 100, rolls the new
 * template out; going back to the old spec ends the canary. Until its pods are ready it gets no requests.
 */
export function planCanary(input: CanaryInput): CanaryPlan | undefined {
  const { percent, workload, address, template, live, canary } = input;
  const isNew = live !== undefined && live !== template;
  if (percent === undefined || percent >= 100 || !isNew || workload.replicas === 0) return undefined;
  const { selector, ...names } = namesOf(input);
  const trial: WorkloadPlan = {
    ...workload,
    name: names.workload,
    labels: { ...workload.labels, ...selector },
    selector,
    pod: { ...workload.pod, labels: { ...workload.pod.labels, ...selector } },
    replicas: Math.max(1, Math.ceil((workload.replicas * percent) / 100)),
  };
  const isUp = canary?.template === template && canary.isAvailable;
  const [port, weight] = [address.ports[0]?.port ?? 80, isUp ? percent : 0];
  return {
    workload: trial,
    address: { ...address, name: names.address, labels: { ...address.labels, ...selector }, selector },
    percent,
    isUp,
    backends: [
      { name: address.name, port, weight: 100 - weight },
      { name: names.address, port, weight },
    ],
  };
}

function namesOf({ workload, address, names = {} }: CanaryInput): CanaryNames {
  const name = names.workload ?? `${workload.name}-canary`;
  const [key = "app"] = Object.keys(workload.selector);
  return {
    workload: name,
    address: names.address ?? `${address.name}-canary`,
    selector: names.selector ?? { ...workload.selector, [key]: keepEnd(name, 63) },
  };
}
