import type { HealthReport } from "@trivium/domain";
import type { DecidedCondition } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { type Instant, type Millis, parseTime } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import type { ObservedServingPod } from "../observed/serving-pod.ts";

/** Whether the oldest pod has served long enough. */
export type LifetimePlan =
  | { readonly is: "young"; readonly recheckIn?: Millis }
  /** It is its time, and it still answers requests. */
  | { readonly is: "waiting"; readonly pod: string; readonly recheckIn: Millis }
  | { readonly is: "over"; readonly pod: ObservedServingPod };

const young: LifetimePlan = { is: "young" };
const defaultPatience = 300;

/** One pod at a time, the oldest, and only while all others are well. */
export function planLifetime(
  service: InferenceService,
  observed: ObservedService,
  { health, now }: { health: HealthReport; now: Instant },
): LifetimePlan {
  const { maxPodLifetimeSeconds, maxPodLifetimeIdleTimeoutSeconds = defaultPatience } = service.spec;
  const isStable = health.ready >= health.desired && health.total === health.desired;
  if (maxPodLifetimeSeconds === undefined || !isStable || observed.pods.some(({ isLeaving }) => isLeaving))
    return young;
  const [oldest] = observed.pods.toSorted(
    (a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.name < b.name ? -1 : 1),
  );
  if (oldest?.createdAt === undefined) return young;
  const left = oldest.createdAt + maxPodLifetimeSeconds * 1000 - now;
  if (left > 0) return { is: "young", recheckIn: left };
  const patience = waitsSince(service, now) + maxPodLifetimeIdleTimeoutSeconds * 1000 - now;
  const isIdle = oldest.busy?.is === "known" && !oldest.busy.value;
  if (isIdle || patience <= 0 || !oldest.tellsLoad) return { is: "over", pod: oldest };
  return { is: "waiting", pod: oldest.name, recheckIn: patience };
}

const type = "PodRecycling";

/** While it is so, pods are asked whether they are idle; the condition remembers since when. */
export const isRecycling = ({ status }: InferenceService): boolean =>
  status?.conditions?.some((one) => one.type === type && one.status === "True") === true;

function waitsSince({ status }: InferenceService, now: Instant): Instant {
  const condition = status?.conditions?.find((one) => one.type === type && one.status === "True");
  return parseTime(condition?.lastTransitionTime ?? "") ?? now;
}

export function describeLifetime(plan: LifetimePlan): DecidedCondition[] {
  if (plan.is === "young") return [];
  const pod = plan.is === "over" ? plan.pod.name : plan.pod;
  const how = plan.is === "over" ? "is being replaced" : "will be replaced when it is idle";
  return [
    {
      type,
      status: "True",
      reason: "LifetimeExceeded",
      message: `Pod ${pod} is older than spec.maxPodLifetimeSeconds and ${how}`,
    },
  ];
}

export function evictionOf({ metadata }: InferenceService, plan: LifetimePlan): Patch[] {
  if (plan.is !== "over" || plan.pod.uid === undefined) return [];
  const { name, uid } = plan.pod;
  const message = `Pod ${name} is older than spec.maxPodLifetimeSeconds`;
  return [
    {
      patch: "evict",
      ref: { namespace: metadata.namespace, name },
      uid,
      evicted: { type: "Normal", reason: "PodRecycled", message },
      refused: { type: "Warning", reason: "PodRecycleForbidden", message: `${message} but cannot be evicted` },
    },
  ];
}
