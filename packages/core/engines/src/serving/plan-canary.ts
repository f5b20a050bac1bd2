import type { CanaryPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import type { Fact } from "@trivium/std";
import type { CanaryNames, NameHolder, ObservedCanary } from "./observe-canary.ts";

export interface CanaryInput {
  /** The share of requests that the newest template gets; nothing, or 100: it is rolled out. */
  readonly percent: number | undefined;
  /** As it would be rolled out. */
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
  /** What tells the newest template from others, and that of what is rolled out now. */
  readonly template: string;
  readonly live: string | undefined;
  readonly observed: ObservedCanary | undefined;
  readonly names: CanaryNames;
}

/**
 * While a percentage is set, a new template runs beside the old one, which is unchanged. Removing the percentage, or 100, rolls the new
 * template out; going back to the old spec ends the canary. Until pods of the newest template are ready it gets no requests, and neither
 * while an object of another owner has its name.
 */
export function planCanary(input: CanaryInput): CanaryPlan | undefined {
  const { percent, workload, address, template, live, observed, names } = input;
  const isNew = live !== undefined && live !== template;
  if (percent === undefined || !isNew || canaryReplicas(workload.replicas, percent) === 0) return undefined;
  const { selector } = names;
  const taken = takenName(names, observed);
  // A Deployment is available while pods of an older trial are; only those of the newest template count.
  const pods = (observed?.pods ?? []).filter((pod) => pod.template === template && !pod.isLeaving);
  const isUp = taken === undefined && pods.some(({ isReady }) => isReady);
  const [port, weight] = [address.ports[0]?.port ?? 80, isUp ? percent : 0];
  const own = { name: address.name, port, weight: 100 - weight };
  return {
    workload: {
      ...workload,
      name: names.workload,
      labels: { ...workload.labels, ...selector },
      selector,
      pod: { ...workload.pod, labels: { ...workload.pod.labels, ...selector } },
      replicas: canaryReplicas(workload.replicas, percent),
    },
    address: { ...address, name: names.address, labels: { ...address.labels, ...selector }, selector },
    percent,
    pods,
    isUp,
    ...(taken === undefined ? {} : { taken }),
    backends: taken === undefined ? [own, { name: names.address, port, weight }] : [own],
  };
}

/** How many replicas try out a new template beside those of the old one. */
export const canaryReplicas = (replicas: number, percent: number | undefined): number =>
  percent === undefined || percent >= 100 || replicas === 0 ? 0 : Math.max(1, Math.ceil((replicas * percent) / 100));

function takenName(names: CanaryNames, observed: ObservedCanary | undefined): CanaryPlan["taken"] {
  const found = (kind: string, name: string, holder: Fact<NameHolder> | undefined) =>
    holder?.is === "known" && !holder.value.isOurs ? { kind, name, owner: holder.value.owner } : undefined;
  return found("Deployment", names.workload, observed?.workload) ?? found("Service", names.address, observed?.address);
}
