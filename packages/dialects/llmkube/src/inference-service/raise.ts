import { isIdledByGateway } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { stampLastUpdated } from "../last-updated.ts";
import type { Judgement } from "./health/judge.ts";
import type { ObservedService } from "./observe.ts";
import { classPriorityOf } from "./pod/priority.ts";
import { describeLifetime } from "./roles/pod-lifetime.ts";
import { rememberRollout } from "./roles/rollout.ts";
import type { Blocked, Intended } from "./selection/lowered.ts";
import { accelerated } from "./status/accelerated.ts";
import { outcomeOf } from "./status/availability.ts";
import { checkEngine } from "./status/engine-checks.ts";
import { fitConditions, reportBlockedFit } from "./status/fits.ts";
import { describeIgnored, type Ignored } from "./status/ignored-fields.ts";
import { driverOf, rolloutOf, suspensionOf, transferOf } from "./status/passing-conditions.ts";
import { describeRoute, describeTrial } from "./status/routing.ts";
import { raiseSelection } from "./status/selection.ts";
import { describeInstalledApis } from "./traffic/installed-apis.ts";
import { endpointOf, servingModeOf } from "./traffic/serving-mode.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;

/** What can be reported when nothing could be planned; what runs goes on running. */
export function raiseBlocked(
  service: InferenceService,
  blocked: Blocked,
  { observed, now }: { observed: ObservedService; now: Instant },
): ServiceStatus {
  const { phase, reason, message, isModelReady } = blocked;
  const ready = observed.pods.filter((pod) => pod.isReady && !pod.isLeaving).length;
  const conditions: DecidedCondition[] = [
    ready > 0
      ? {
          type: "Available",
          status: "True",
          reason: "PartiallyReady",
          message: "Pods of the previous spec still serve",
        }
      : { type: "Available", status: "False", reason: "NoReadyReplicas", message },
    reason === "Pending"
      ? { type: "Progressing", status: "True", reason, message }
      : { type: "Degraded", status: "True", reason, message },
    ...fitConditions(reportBlockedFit(service, blocked)),
  ];
  const mode = servingModeOf(service);
  const waiting = isModelReady ? "WaitingForCacheSpace" : "ModelNotReady";
  const status: ServiceStatus = {
    phase,
    mode,
    modelReady: isModelReady,
    replicas: observed.pods.filter(({ isLeaving }) => !isLeaving).length,
    readyReplicas: ready,
    ...(ready === 0 ? {} : { endpoint: endpointOf(service, mode) }),
    ...schedulingOf({ reason: reason === "Pending" ? waiting : reason, message }),
    ...raiseSelection(service, blocked.choice),
  };
  return finish(service, { status, conditions, now });
}

export interface RaisedFacts {
  readonly judged: Judgement;
  /** Which template the newest pods have. */
  readonly template: string;
  readonly observed: ObservedService;
  readonly ignored: readonly Ignored[];
  readonly now: Instant;
}

export function raiseServing(service: InferenceService, intended: Intended, facts: RaisedFacts): ServiceStatus {
  const { judged, template, observed, now } = facts;
  const { health, phase, cause, download, acceleration } = judged;
  const { gpu, mode, rollout } = intended;
  const conditions = [
    ...outcomeOf({
      service: service.metadata,
      phase,
      health,
      cause,
      progress: download?.message ?? (judged.isUnbound ? unboundClaim : undefined),
      isDownloading: download?.message !== undefined,
      isIdled: isIdledByGateway(service.metadata),
    }),
    ...suspensionOf(service),
    ...transferOf(service, health, cause),
    ...driverOf(service, health, cause),
    ...accelerated(judged),
    ...fitConditions(judged.fit),
    ...rolloutOf(service, rollout, template),
    ...describeLifetime(judged.lifetime),
    ...checkEngine(service),
    ...describeRoute(service, observed),
    ...describeTrial(intended, now),
    ...describeIgnored(facts.ignored),
    ...describeInstalledApis(service, observed.gateway?.tolerated),
  ];
  const status: ServiceStatus = {
    phase,
    mode,
    modelReady: observed.model.is === "known" && observed.model.value.status?.phase === "Ready",
    replicas: health.total,
    readyReplicas: health.ready,
    desiredReplicas: health.desired,
    endpoint: endpointOf(service, mode),
    effectivePriority: observed.priority.is === "known" ? observed.priority.value : classPriorityOf(service),
    ...rememberRollout(service, rollout, template),
    ...waitsFor(judged),
    ...(download?.progress === undefined ? {} : { download: download.progress }),
    ...(phase === "WaitingForGPU" ? waitingFor(gpu) : {}),
    ...(acceleration === undefined ? {} : { acceleration }),
    ...gatewayOf(service, observed),
    ...raiseSelection(service, intended.intent.choice),
  };
  return finish(service, { status, conditions, now });
}

/** What it waits for; its position in the queue is written by the reconciler of the queue. */
const waitingFor = (gpu: GpuPlan): Pick<ServiceStatus, "waitingFor"> =>
  gpu.is === "resource" ? { waitingFor: `${gpu.resource}: ${gpuCount(gpu)}` } : {};

interface Unfinished {
  readonly status: ServiceStatus;
  readonly conditions: readonly DecidedCondition[];
  readonly now: Instant;
}

/** Every condition says of which spec it is, and the status when it became what it is. */
function finish(service: InferenceService, { status, conditions, now }: Unfinished): ServiceStatus {
  const { generation } = service.metadata;
  const dated = conditions.map((one) => (generation === undefined ? one : { ...one, observedGeneration: generation }));
  const whole = { ...status, conditions: dated as NonNullable<ServiceStatus["conditions"]> };
  return stampLastUpdated(service.status, whole, now);
}

const unboundClaim =
  "Waiting for a volume for the PersistentVolumeClaim of the model cache; check it with kubectl describe pvc";

function gatewayOf({ metadata, spec }: InferenceService, { gateway }: ObservedService): Pick<ServiceStatus, "gateway"> {
  if (gateway === undefined) return {};
  const modelName = spec.endpoint?.gateway?.modelName ?? metadata.name ?? "";
  return { gateway: { routeReady: false, modelName } };
}

type Scheduling = Pick<ServiceStatus, "schedulingStatus" | "schedulingMessage">;

const schedulingOf = ({ reason, message }: { reason: string; message: string }): Scheduling => ({
  schedulingStatus: reason,
  schedulingMessage: message,
});

/** Why it does not serve yet, in the column of listings: what is wrong, else that it hardly fits or not at all, else what takes its time. */
function waitsFor({ phase, cause, fit, download }: Judgement): Scheduling {
  if (phase === "Ready" || phase === "Stopped" || phase === "Suspended") return {};
  if (cause !== undefined) return schedulingOf(cause);
  if (fit?.reason === "TightFit" || fit?.reason === "DoesNotFit") return schedulingOf(fit);
  return download?.message === undefined ? {} : schedulingOf({ reason: "FetchingWeights", message: download.message });
}
