import {
  type api,
  groupResourceOf,
  HorizontalPodAutoscaler,
  type KubeObject,
  matchesLabels,
  Pod,
  selectorOf,
} from "@trivium/kube";
import type { Decision, Look, Note, Reconciler, Touch } from "@trivium/reconcile";
import { type Fact, formatTime, type Instant } from "@trivium/std";
import { byName } from "../pods/claim.ts";
import { limit, type Words } from "./limits.ts";
import { type AutoscalerMemory, memoryKey, readMemory, remember } from "./memory.ts";
import { type Measured, type Proposal, proposalOf } from "./proposal.ts";
import { externalMetric, objectMetric, podMetric, podUsage } from "./questions.ts";
import { type Scale, type ScaleTarget, workloadTargets } from "./targets.ts";

export interface AutoscalerSeen {
  /** What is to be scaled: how many it wants and has. */
  readonly target: Fact<Scale>;
  /** How the API calls the kind of the target; nothing when it is no kind that can be scaled here. */
  readonly resource: string | undefined;
  readonly pods: readonly Pod[];
  /** One answer for each metric, in their order. */
  readonly measured: { readonly [metric: number]: Measured };
}

type Status = NonNullable<HorizontalPodAutoscaler["status"]>;

/** Keeps a workload as large as its metrics ask for. */
export function autoscalerReconciler(
  more: readonly ScaleTarget[] = [],
): Reconciler<HorizontalPodAutoscaler, AutoscalerSeen> {
  const targets = [...workloadTargets, ...more];
  const kinds = targets.map(({ kind }) => kind);
  return {
    name: "horizontal-pod-autoscaler",
    kind: HorizontalPodAutoscaler,
    reads: [Pod, ...kinds],
    writes: [HorizontalPodAutoscaler, ...kinds],
    hasPlainConditions: true,
    observe: (autoscaler, look) => observe(autoscaler, look, targets),
    decide: (autoscaler, seen, now) => decide(autoscaler, seen, { now, targets }),
  };
}

function targetKind({ spec }: HorizontalPodAutoscaler, targets: readonly ScaleTarget[]): ScaleTarget | undefined {
  const { kind, apiVersion = "" } = spec?.scaleTargetRef ?? {};
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return targets.find((target) => target.kind.kind === kind && target.kind.group === group);
}

function observe(autoscaler: HorizontalPodAutoscaler, look: Look, targets: readonly ScaleTarget[]): AutoscalerSeen {
  const { namespace = "" } = autoscaler.metadata;
  const target = targetKind(autoscaler, targets);
  if (target === undefined) return { target: { is: "absent" }, resource: undefined, pods: [], measured: {} };
  const resource = groupResourceOf(target.kind);
  const object: Fact<KubeObject> = look.get(target.kind, {
    namespace,
    name: autoscaler.spec?.scaleTargetRef.name ?? "",
  });
  if (object.is !== "known") return { target: object, resource, pods: [], measured: {} };
  const scale = target.scaleOf(object.value);
  const selector = selectorOf(scale.selector);
  const pods = look
    .list(Pod, { namespace, labels: scale.selector?.matchLabels ?? {} })
    .filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  const names = pods.map(({ metadata }) => metadata.name ?? "").sort();
  const answers = (autoscaler.spec?.metrics ?? []).map((metric) => ask(metric, { namespace, pods: names, look }));
  return { target: { is: "known", value: scale }, resource, pods, measured: { ...answers } };
}

interface Asking {
  readonly namespace: string;
  readonly pods: readonly string[];
  readonly look: Look;
}

function ask(spec: api.MetricSpec, { namespace, pods, look }: Asking): Measured {
  const { resource, containerResource, object, external } = spec;
  if (resource !== undefined) return look.ask(podUsage, { namespace, pods, resource: resource.name });
  if (containerResource !== undefined) {
    const { name, container } = containerResource;
    return look.ask(podUsage, { namespace, pods, resource: name, container });
  }
  const { name: metric = "", selector } = (spec.pods ?? object ?? external)?.metric ?? {};
  const what = { namespace, metric, ...(selector === undefined ? {} : { selector }) };
  if (object === undefined)
    return external === undefined ? look.ask(podMetric, { ...what, pods }) : look.ask(externalMetric, what);
  const { kind, name } = object.describedObject;
  return look.ask(objectMetric, { ...what, object: { kind, name } });
}

/** A change must be felt before the next one; a real autoscaler looks no more often. */
const rhythm = 15_000;

interface Moment {
  readonly now: Instant;
  readonly targets: readonly ScaleTarget[];
}

/** What is decided about the size, before it is said. */
interface Course {
  readonly current: number;
  readonly desired: number;
  readonly why: string;
  readonly conditions: readonly api.HorizontalPodAutoscalerCondition[];
  readonly metrics: readonly api.MetricStatus[] | undefined;
  readonly notes: readonly Note[];
  readonly recommended: number | undefined;
  readonly changesAt: Instant | undefined;
}

function decide(autoscaler: HorizontalPodAutoscaler, seen: AutoscalerSeen, moment: Moment): Decision<Status> {
  const before = autoscaler.status ?? { desiredReplicas: 0 };
  if (seen.target.is === "pending" || seen.target.is === "unreachable") return { do: "hold", status: before };
  if (seen.target.is === "absent") return withoutTarget(autoscaler, seen);
  const restUntil = (readMemory(autoscaler).changed.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY) + rhythm;
  if (restUntil > moment.now) return { do: "hold", status: before, recheckIn: restUntil - moment.now };
  const course = courseOf(autoscaler, { ...seen, scale: seen.target.value }, moment.now);
  if (course === undefined) return { do: "hold", status: before };
  return carryOn(autoscaler, course, moment);
}

function withoutTarget({ spec, status }: HorizontalPodAutoscaler, { resource }: AutoscalerSeen): Decision<Status> {
  const { kind, name, apiVersion } = spec?.scaleTargetRef ?? { kind: "", name: "" };
  const why =
    resource === undefined
      ? `no matches for kind "${kind}" in group "${apiVersion}"`
      : `${resource} "${name}" not found`;
  const message = `the HPA controller was unable to get the target's current scale: ${why}`;
  const conditions = merged(status, [condition("AbleToScale", "False", { reason: "FailedGetScale", message })]);
  const notes: Note[] = [{ type: "Warning", reason: "FailedGetScale", message: why }];
  return { do: "hold", status: { ...status, desiredReplicas: status?.desiredReplicas ?? 0, conditions }, notes };
}

const condition = (type: string, status: "True" | "False", { reason, message }: Words) => ({
  type,
  status,
  reason,
  message,
});

/** Conditions that are not said anew stay as they were. */
function merged(
  status: Status | undefined,
  next: readonly api.HorizontalPodAutoscalerCondition[],
): api.HorizontalPodAutoscalerCondition[] {
  const all = new Map((status?.conditions ?? []).map((each) => [each.type, each]));
  for (const each of next) all.set(each.type, each);
  return [...all.values()];
}

const gotScale = condition("AbleToScale", "True", {
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
});
const disabled: Words = {
  reason: "ScalingDisabled",
  message: "scaling is disabled since the replica count of the target is zero",
};

function courseOf(
  autoscaler: HorizontalPodAutoscaler,
  seen: AutoscalerSeen & { scale: Scale },
  now: Instant,
): Course | undefined {
  const { minReplicas = 1, maxReplicas = 1 } = autoscaler.spec ?? {};
  const current = seen.scale.wanted;
  const plain = { current, metrics: undefined, notes: [], recommended: undefined, changesAt: undefined };
  if (current === 0 && minReplicas !== 0) {
    return { ...plain, desired: 0, why: "", conditions: [gotScale, condition("ScalingActive", "False", disabled)] };
  }
  if (current > maxReplicas) {
    return {
      ...plain,
      desired: maxReplicas,
      why: "Current number of replicas above Spec.MaxReplicas",
      conditions: [gotScale],
    };
  }
  if (current < minReplicas) {
    return {
      ...plain,
      desired: minReplicas,
      why: "Current number of replicas below Spec.MinReplicas",
      conditions: [gotScale],
    };
  }
  const { scale, pods, measured } = seen;
  const specs = autoscaler.spec?.metrics ?? [];
  const situation = { autoscaler, wanted: current, there: scale.there, pods: pods.toSorted(byName), now };
  const proposals = specs.map((spec, i) => proposalOf(spec, measured[i] ?? { is: "pending" }, situation));
  if (proposals.some(({ is }) => is === "pending")) return undefined;
  return courseByMetrics(autoscaler, current, proposals, now);
}

function courseByMetrics(
  autoscaler: HorizontalPodAutoscaler,
  current: number,
  proposals: readonly Proposal[],
  now: Instant,
): Course {
  const invalid = proposals.filter((one) => one.is === "invalid");
  const valid = proposals.filter((one) => one.is === "valid");
  const metrics = proposals.map((one) => (one.is === "valid" ? one.status : { type: "" }));
  const best = valid.reduce<(typeof valid)[number] | undefined>(
    (top, one) => (top === undefined || one.replicas > top.replicas ? one : top),
    undefined,
  );
  const failures = invalid.map(({ reason, why }): Note => ({ type: "Warning", reason, message: why }));
  const [first] = invalid;
  if (best === undefined || (first !== undefined && best.replicas < current)) {
    const message = `the HPA was unable to compute the replica count: ${first?.why ?? "no metrics"}`;
    const conditions = [gotScale, condition("ScalingActive", "False", { reason: first?.reason ?? "", message })];
    const total = `invalid metrics (${invalid.length} invalid out of ${proposals.length}), first error is: ${first?.error}`;
    const notes: Note[] = [...failures, { type: "Warning", reason: "FailedComputeMetricsReplicas", message: total }];
    return {
      current,
      desired: current,
      why: "",
      conditions,
      metrics,
      notes,
      recommended: undefined,
      changesAt: undefined,
    };
  }
  const { replicas, able, limited, changesAt } = limit({
    autoscaler,
    memory: readMemory(autoscaler),
    current,
    wanted: best.replicas,
    now,
  });
  const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
  return {
    current,
    desired: replicas,
    why: best.replicas > current ? `${best.name} above target` : "All metrics below target",
    conditions: [
      condition("AbleToScale", "True", able),
      condition("ScalingActive", "True", { reason: "ValidMetricFound", message }),
      condition("ScalingLimited", limited.status, limited),
    ],
    metrics,
    notes: failures,
    recommended: best.replicas,
    changesAt,
  };
}

function carryOn(autoscaler: HorizontalPodAutoscaler, course: Course, { now, targets }: Moment): Decision<Status> {
  const { current, desired, why } = course;
  const { status, metadata, spec } = autoscaler;
  const isRescaled = desired !== current;
  const rescaled = condition("AbleToScale", "True", {
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${desired}`,
  });
  const news: Note[] = isRescaled
    ? [{ type: "Normal", reason: "SuccessfulRescale", message: `New size: ${desired}; reason: ${why}` }]
    : [];
  const conditions = merged(status, isRescaled ? [...course.conditions, rescaled] : course.conditions);
  const kind = targetKind(autoscaler, targets)?.kind;
  const ref = { namespace: metadata.namespace, name: spec?.scaleTargetRef.name ?? "" };
  const scale: Touch[] = isRescaled && kind !== undefined ? [{ touch: "scale", kind, ref, replicas: desired }] : [];
  const lastScaleTime = isRescaled ? formatTime(now) : status?.lastScaleTime;
  return {
    do: "converge",
    children: [],
    touches: [...scale, ...memoryTouch(autoscaler, course, now)],
    status: {
      conditions,
      ...(course.metrics === undefined ? {} : { currentMetrics: [...course.metrics] }),
      currentReplicas: current,
      desiredReplicas: desired,
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    },
    notes: [...course.notes, ...news],
    ...(course.changesAt === undefined || course.changesAt <= now ? {} : { recheckIn: course.changesAt - now }),
  };
}

function memoryTouch(
  autoscaler: HorizontalPodAutoscaler,
  { current, desired, recommended }: Course,
  now: Instant,
): Touch[] {
  const before = readMemory(autoscaler);
  const next: AutoscalerMemory = remember(before, now, recommended ?? current, desired - current);
  const isSame = before.recommended.at(-1)?.[1] === next.recommended.at(-1)?.[1] && desired === current;
  if (isSame) return [];
  const { name = "", namespace = "" } = autoscaler.metadata;
  const annotations = { [memoryKey]: JSON.stringify(next) };
  const object = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace, annotations },
  };
  return [{ touch: "fields", kind: HorizontalPodAutoscaler, object }];
}
