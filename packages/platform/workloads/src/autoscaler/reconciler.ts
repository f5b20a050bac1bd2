import { type api, HorizontalPodAutoscaler, Pod } from "@trivium/kube";
import type { Decision, Note, Patch, Reconciler } from "@trivium/reconcile";
import { formatTime, type Instant } from "@trivium/std";
import { condition, type Evaluation, evaluationOf } from "./evaluation.ts";
import { type AutoscalerMemory, memoryKey, readMemory, remember } from "./memory.ts";
import { type ObservedAutoscaler, observe, targetKind } from "./observe.ts";
import { type ScaleTarget, workloadTargets } from "./targets.ts";

type Status = NonNullable<HorizontalPodAutoscaler["status"]>;

/** Keeps a workload as large as its metrics ask for. */
export function autoscalerReconciler(
  more: readonly ScaleTarget[] = [],
): Reconciler<HorizontalPodAutoscaler, ObservedAutoscaler> {
  const targets = [...workloadTargets, ...more];
  const kinds = targets.map(({ kind }) => kind);
  return {
    name: "horizontal-pod-autoscaler",
    kind: HorizontalPodAutoscaler,
    reads: [Pod, ...kinds],
    writes: [HorizontalPodAutoscaler, ...kinds],
    hasPlainConditions: true,
    observe: (autoscaler, reader) => observe(autoscaler, reader, targets),
    decide: (autoscaler, observed, now) => decide(autoscaler, observed, { now, targets }),
  };
}

/** A change must be felt before the next one; a real autoscaler looks no more often. */
const rhythm = 15_000;

interface Moment {
  readonly now: Instant;
  readonly targets: readonly ScaleTarget[];
}

function decide(autoscaler: HorizontalPodAutoscaler, observed: ObservedAutoscaler, moment: Moment): Decision<Status> {
  const before = autoscaler.status ?? { desiredReplicas: 0 };
  if (observed.target.is === "pending" || observed.target.is === "unreachable") return { do: "hold", status: before };
  if (observed.target.is === "absent") return withoutTarget(autoscaler, observed);
  const restUntil = (readMemory(autoscaler).changed.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY) + rhythm;
  if (restUntil > moment.now) return { do: "hold", status: before, recheckIn: restUntil - moment.now };
  const evaluation = evaluationOf(autoscaler, { ...observed, scale: observed.target.value }, moment.now);
  if (evaluation === undefined) return { do: "hold", status: before };
  return carryOn(autoscaler, evaluation, moment);
}

function withoutTarget({ spec, status }: HorizontalPodAutoscaler, { resource }: ObservedAutoscaler): Decision<Status> {
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

/** Conditions that are not said anew stay as they were. */
function merged(
  status: Status | undefined,
  next: readonly api.HorizontalPodAutoscalerCondition[],
): api.HorizontalPodAutoscalerCondition[] {
  const all = new Map((status?.conditions ?? []).map((each) => [each.type, each]));
  for (const each of next) all.set(each.type, each);
  return [...all.values()];
}

function carryOn(
  autoscaler: HorizontalPodAutoscaler,
  evaluation: Evaluation,
  { now, targets }: Moment,
): Decision<Status> {
  const { current, desired, why } = evaluation;
  const { status, metadata, spec } = autoscaler;
  const isRescaled = desired !== current;
  const rescaled = condition("AbleToScale", "True", {
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${desired}`,
  });
  const events: Note[] = isRescaled
    ? [{ type: "Normal", reason: "SuccessfulRescale", message: `New size: ${desired}; reason: ${why}` }]
    : [];
  const conditions = merged(status, isRescaled ? [...evaluation.conditions, rescaled] : evaluation.conditions);
  const kind = targetKind(autoscaler, targets)?.kind;
  const ref = { namespace: metadata.namespace, name: spec?.scaleTargetRef.name ?? "" };
  const scale: Patch[] = isRescaled && kind !== undefined ? [{ patch: "scale", kind, ref, replicas: desired }] : [];
  const lastScaleTime = isRescaled ? formatTime(now) : status?.lastScaleTime;
  return {
    do: "converge",
    children: [],
    patches: [...scale, ...memoryPatch(autoscaler, evaluation, now)],
    status: {
      conditions,
      ...(evaluation.metrics === undefined ? {} : { currentMetrics: [...evaluation.metrics] }),
      currentReplicas: current,
      desiredReplicas: desired,
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    },
    notes: [...evaluation.notes, ...events],
    ...(evaluation.changesAt === undefined || evaluation.changesAt <= now
      ? {}
      : { recheckIn: evaluation.changesAt - now }),
  };
}

function memoryPatch(
  autoscaler: HorizontalPodAutoscaler,
  { current, desired, recommended }: Evaluation,
  now: Instant,
): Patch[] {
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
  return [{ patch: "fields", kind: HorizontalPodAutoscaler, object }];
}
