import { amountsOf, type api, type HorizontalPodAutoscaler, type Pod } from "@trivium/kube";
import { type Fact, formatQuantity, type Instant, parseTime } from "@trivium/std";
import { isFinished, isReady, isTerminating } from "../pods/pod-state.ts";

/** What one metric asks for. */
export type Proposal =
  | { readonly is: "valid"; readonly replicas: number; readonly name: string; readonly status: api.MetricStatus }
  /** Not known yet: nothing is to be said. */
  | { readonly is: "pending" }
  | { readonly is: "invalid"; readonly reason: string; readonly why: string; readonly error: string };

/** The answers to what the metrics of an autoscaler asked, in their order. */
export type Measured = Fact<number | Readonly<Record<string, number>>>;

export interface Situation {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly wanted: number;
  readonly there: number;
  readonly pods: readonly Pod[];
  readonly now: Instant;
}

export function proposalOf(spec: api.MetricSpec, measured: Measured, situation: Situation): Proposal {
  if (measured.is === "pending") return { is: "pending" };
  const source = sourceOf(spec);
  const fail = (why: string): Proposal => ({
    is: "invalid",
    reason: source.reason,
    why: `${source.blame}${why}`,
    error: `failed to get ${source.title} metric value: ${source.blame}${why}`,
  });
  if (measured.is === "unreachable") return fail(`${source.fetch}: ${measured.why}`);
  if (measured.is === "absent") return fail(`${source.fetch}: no metrics returned`);
  const { value } = measured;
  if (typeof value === "number") return plainProposal(spec, value, situation);
  const outcome = podProposal(spec, value, situation);
  return typeof outcome === "string" ? fail(outcome) : outcome;
}

interface Source {
  readonly reason: string;
  readonly title: string;
  /** Before every reason why. */
  readonly blame: string;
  readonly fetch: string;
}

function sourceOf({ type, resource, containerResource, pods, object, external }: api.MetricSpec): Source {
  const used = resource ?? containerResource;
  if (used !== undefined) {
    const what = used.target.averageUtilization === undefined ? "usage" : "utilization";
    return {
      reason: containerResource === undefined ? "FailedGetResourceMetric" : "FailedGetContainerResourceMetric",
      title: containerResource === undefined ? `${used.name} resource` : `${containerResource.container} container`,
      blame: `failed to get ${used.name} ${what}: `,
      fetch: `unable to get metrics for resource ${used.name}`,
    };
  }
  const name = (pods ?? object ?? external)?.metric.name ?? "";
  const reasons: Readonly<Record<string, string>> = {
    Pods: "FailedGetPodsMetric",
    Object: "FailedGetObjectMetric",
    External: "FailedGetExternalMetric",
  };
  const title = type === "External" ? `${name} external` : type.toLowerCase();
  return {
    reason: reasons[type] ?? "InvalidMetricSourceType",
    title,
    blame: "",
    fetch: `unable to get metric ${name}`,
  };
}

const milli = (value: number): string =>
  formatQuantity({ unscaled: BigInt(Math.round(value)), exponent: -3, format: "DecimalSI" });

const targetOf = (text: string | number | undefined): number | undefined =>
  text === undefined ? undefined : amountsOf({ cpu: text }).get("cpu");

function isTolerable(ratio: number, { spec }: HorizontalPodAutoscaler): boolean {
  const { scaleUp, scaleDown } = spec?.behavior ?? {};
  const [up, down] = [targetOf(scaleUp?.tolerance), targetOf(scaleDown?.tolerance)];
  return ratio >= 1 - (down ?? 100) / 1_000 && ratio <= 1 + (up ?? 100) / 1_000;
}

/** One number for all pods: shared among them, or compared as it is. */
function plainProposal(spec: api.MetricSpec, value: number, { autoscaler, wanted, there, pods }: Situation): Proposal {
  const { object, external } = spec;
  const source = object ?? external;
  if (source === undefined) return { is: "invalid", reason: "InvalidMetricSourceType", why: "", error: "" };
  const { target, metric } = source;
  const average = targetOf(target.averageValue);
  const title =
    object === undefined ? `external metric ${metric.name}` : `${object.describedObject.kind} metric ${metric.name}`;
  const current =
    average === undefined
      ? { value: milli(value) }
      : { averageValue: milli(there === 0 ? value : Math.ceil(value / there)) };
  const status: api.MetricStatus =
    object === undefined
      ? { type: "External", external: { metric, current } }
      : { type: "Object", object: { metric, describedObject: object.describedObject, current } };
  const valid = (replicas: number): Proposal => ({ is: "valid", replicas, name: title, status });
  if (average !== undefined) {
    const ratio = there === 0 ? Number.POSITIVE_INFINITY : value / (average * there);
    return valid(isTolerable(ratio, autoscaler) ? there : Math.ceil(value / average));
  }
  const ratio = value / (targetOf(target.value) ?? 1);
  if (wanted !== 0 && isTolerable(ratio, autoscaler)) return valid(wanted);
  const ready = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  return valid(Math.ceil(ratio * (wanted === 0 ? 1 : ready)));
}

/** A number for each pod. Pods that say nothing are taken for full when there is too little to do, for idle when there is too much. */
function podProposal(
  spec: api.MetricSpec,
  found: Readonly<Record<string, number>>,
  situation: Situation,
): Proposal | string {
  const { autoscaler, wanted, pods } = situation;
  const used = spec.resource ?? spec.containerResource;
  const { target } = used ?? spec.pods ?? {};
  if (pods.length === 0) return "no pods returned by selector while calculating replica count";
  const groups = groupPods(pods, found, situation, used?.name);
  if (groups.measured.length === 0) return "did not receive metrics for targeted pods (pods might be unready)";
  const isShare = used !== undefined && targetOf(target?.averageValue) === undefined;
  const unasked = isShare ? missingRequest(pods, used.name, spec.containerResource?.container) : undefined;
  if (unasked !== undefined) return unasked;
  const goal = goalOf(target, (pod) => requestOf(pod, used?.name ?? "", spec.containerResource?.container));
  const usage = groups.measured.map((pod) => ({ pod, value: found[pod.metadata.name ?? ""] ?? 0 }));
  const total = usage.reduce((sum, { value }) => sum + value, 0);
  const ratio = goal.ratioOf(usage);
  const status = statusOf(spec, Math.floor(total / usage.length), goal.percent(usage));
  const name = nameOf(spec);
  const valid = (replicas: number): Proposal => ({ is: "valid", replicas, name, status });
  const filled = [...usage];
  if (ratio < 1) filled.push(...groups.missing.map((pod) => ({ pod, value: goal.of(pod) })));
  if (ratio > 1) filled.push(...[...groups.missing, ...groups.unready].map((pod) => ({ pod, value: 0 })));
  const second = goal.ratioOf(filled);
  const isTurned = (ratio < 1 && second > 1) || (ratio > 1 && second < 1);
  if (isTolerable(second, autoscaler) || isTurned) return valid(wanted);
  const replicas = Math.ceil(second * filled.length);
  return valid((second < 1 && replicas > wanted) || (second > 1 && replicas < wanted) ? wanted : replicas);
}

interface Usage {
  readonly pod: Pod;
  readonly value: number;
}

interface Goal {
  of(pod: Pod): number;
  ratioOf(usage: readonly Usage[]): number;
  percent(usage: readonly Usage[]): number | undefined;
}

/** So much on average, or such a part of what the pods asked for. */
function goalOf(target: api.MetricTarget | undefined, requestOf: (pod: Pod) => number): Goal {
  const average = targetOf(target?.averageValue);
  const sum = (usage: readonly Usage[]) => usage.reduce((total, { value }) => total + value, 0);
  if (average !== undefined) {
    return { of: () => average, ratioOf: (usage) => sum(usage) / usage.length / average, percent: () => undefined };
  }
  const wanted = target?.averageUtilization ?? 100;
  const asked = (usage: readonly Usage[]) => usage.reduce((total, { pod }) => total + requestOf(pod), 0);
  const percent = (usage: readonly Usage[]) => Math.floor((sum(usage) * 100) / asked(usage));
  return {
    of: (pod) => (requestOf(pod) * Math.max(100, wanted)) / 100,
    ratioOf: (usage) => percent(usage) / wanted,
    percent,
  };
}

/** A share of nothing is no number, so every container has to ask for something. */
function missingRequest(pods: readonly Pod[], resource: string, container: string | undefined): string | undefined {
  for (const { metadata, spec } of pods) {
    const silent = spec?.containers.find(
      ({ name, resources }) =>
        (container === undefined || name === container) && !(amountsOf(resources?.requests).get(resource) ?? 0),
    );
    if (silent !== undefined)
      return `missing request for ${resource} in container ${silent.name} of Pod ${metadata.name}`;
  }
  return undefined;
}

function requestOf({ spec }: Pod, resource: string, container: string | undefined): number {
  const some = spec?.containers.filter(({ name }) => container === undefined || name === container) ?? [];
  const factor = resource === "cpu" ? 1 : 1_000;
  return some.reduce((sum, { resources }) => sum + factor * (amountsOf(resources?.requests).get(resource) ?? 0), 0);
}

const cpuInitialization = 300_000;
const readinessDelay = 30_000;

/** Fresh pods are busy with starting, so what they use says nothing yet. */
function groupPods(
  pods: readonly Pod[],
  found: Readonly<Record<string, number>>,
  { now }: Situation,
  resource: string | undefined,
) {
  const groups: Record<"measured" | "unready" | "missing", Pod[]> = { measured: [], unready: [], missing: [] };
  for (const pod of pods) {
    if (isTerminating(pod) || isFinished(pod)) continue;
    if (pod.status?.phase === "Pending") groups.unready.push(pod);
    else if (found[pod.metadata.name ?? ""] === undefined) groups.missing.push(pod);
    else if (resource === "cpu" && isStarting(pod, now)) groups.unready.push(pod);
    else groups.measured.push(pod);
  }
  return groups;
}

function isStarting({ status }: Pod, now: Instant): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const start = parseTime(status?.startTime ?? "");
  if (ready === undefined || start === undefined) return true;
  if (ready.status !== "False") return false;
  const since = parseTime(ready.lastTransitionTime ?? "") ?? now;
  return start + cpuInitialization > now || start + readinessDelay > since;
}

function nameOf({ resource, containerResource, pods }: api.MetricSpec): string {
  const used = resource ?? containerResource;
  if (used === undefined) return `pods metric ${pods?.metric.name}`;
  if (used.target.averageUtilization === undefined) return `${used.name} resource`;
  return `${used.name} ${containerResource === undefined ? "" : "container "}resource utilization (percentage of request)`;
}

function statusOf(
  { resource, containerResource, pods }: api.MetricSpec,
  average: number,
  percent: number | undefined,
): api.MetricStatus {
  const averageValue = milli(average);
  const current = percent === undefined ? { averageValue } : { averageUtilization: percent, averageValue };
  if (pods !== undefined) return { type: "Pods", pods: { metric: pods.metric, current: { averageValue } } };
  if (containerResource === undefined) return { type: "Resource", resource: { name: resource?.name ?? "", current } };
  const { name, container } = containerResource;
  return { type: "ContainerResource", containerResource: { name, container, current } };
}
