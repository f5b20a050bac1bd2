import { type Instant, type Millis, parseTime } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import type { ObservedServingPod } from "../observed/serving-pod.ts";

/** Whether a changed template reaches the pods now. */
export type RolloutPlan =
  | { readonly is: "goes"; readonly reason?: "IdleTimeoutExceeded" | "IdleCheckUnsupported" | "PodsCrashLooping" }
  | {
      readonly is: "waits";
      readonly reason: "PodsBusy" | "IdleCheckFailed";
      readonly message: string;
      readonly recheckIn: Millis;
    };

const goes: RolloutPlan = { is: "goes" };

/** Holds a change back while pods answer requests, if the service wants that, and not for ever. */
export function planRollout(
  service: InferenceService,
  observed: ObservedService,
  wanted: { template: string; now: Instant },
): RolloutPlan {
  const { waitForIdle, force, idleTimeoutSeconds = 300 } = service.spec.rolloutPolicy ?? {};
  if (waitForIdle !== true || force === true || observed.deployment.is !== "known") return goes;
  const { template: live } = observed.deployment.value;
  if (live === undefined || live === wanted.template) return goes;
  const pods = observed.pods.filter(({ isLeaving }) => !isLeaving).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (pods.some(isCrashing)) return { is: "goes", reason: "PodsCrashLooping" };
  const ready = pods.filter(({ isReady }) => isReady);
  if (ready.some(({ busy }) => busy === undefined)) return { is: "goes", reason: "IdleCheckUnsupported" };
  const busy = ready.find((pod) => pod.busy?.is === "known" && pod.busy.value);
  const unknown = ready.find((pod) => pod.busy?.is !== "known");
  if (busy === undefined && unknown === undefined) return goes;
  if (hasGone(service, wanted.template)) return { is: "goes", reason: "IdleTimeoutExceeded" };
  const left = deferredSince(service, wanted.now) + idleTimeoutSeconds * 1000 - wanted.now;
  if (left <= 0) return { is: "goes", reason: "IdleTimeoutExceeded" };
  return busy === undefined
    ? {
        is: "waits",
        reason: "IdleCheckFailed",
        message: `Pod ${unknown?.name} does not report whether it is idle`,
        recheckIn: left,
      }
    : { is: "waits", reason: "PodsBusy", message: `Pod ${busy.name} is processing requests`, recheckIn: left };
}

/** Whether it was decided before that this very template waits no longer; a refused Deployment does not wait again. */
const hasGone = ({ status }: InferenceService, template: string): boolean => status?.rolloutTemplate === template;

/** Remembered until the next template: that this one waits no longer. */
export function rememberRollout(
  service: InferenceService,
  plan: RolloutPlan,
  template: string,
): Pick<NonNullable<InferenceService["status"]>, "rolloutTemplate"> {
  const isOverdue = plan.is === "goes" && plan.reason === "IdleTimeoutExceeded";
  return isOverdue || hasGone(service, template) ? { rolloutTemplate: template } : {};
}

/** When the wait began: the condition remembers it. */
function deferredSince({ status }: InferenceService, now: Instant): Instant {
  const condition = status?.conditions?.find(({ type }) => type === "RolloutDeferred");
  return condition?.status === "True" ? (parseTime(condition.lastTransitionTime ?? "") ?? now) : now;
}

const isCrashing = ({ containers }: ObservedServingPod): boolean =>
  containers.some(({ state }) => state.is === "waiting" && state.reason === "CrashLoopBackOff");
