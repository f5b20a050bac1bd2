import type { Failure, WorkloadServing } from "@trivium/domain";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { stampLastUpdated } from "../last-updated.ts";
import { accelerationOf } from "./health/acceleration.ts";
import { type Diagnosis, diagnose } from "./health/diagnose.ts";
import type { ObservedService } from "./observe.ts";
import { classPriorityOf } from "./pod/priority.ts";
import type { Blocked } from "./roles/lowered.ts";
import { describeLifetime, type LifetimePlan } from "./roles/pod-lifetime.ts";
import { type RolloutPlan, rememberRollout } from "./roles/rollout.ts";
import type { FitReport } from "./sizing/fit.ts";
import { isIdledByGateway, outcomeOf, type Phase, phaseOf } from "./status/availability.ts";
import { checkEngine } from "./status/engine-checks.ts";
import { describeIgnored, ignoredNotes } from "./status/ignored-fields.ts";
import { driverOf, rolloutOf, suspensionOf, transferOf } from "./status/passing-conditions.ts";
import { describeInstalledApis } from "./traffic/installed-apis.ts";
import { endpointOf, type ServingMode, servingModeOf } from "./traffic/serving-mode.ts";
import { reportDownload } from "./weights/progress.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;

export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: Note[];
}

/** What can be said when nothing could be planned; what runs goes on running. */
export function raiseBlocked(
  service: InferenceService,
  { phase, reason, message, isModelReady }: Blocked,
  { observed, now }: { observed: ObservedService; now: Instant },
): Raised {
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
  ];
  const mode = servingModeOf(service);
  const status: ServiceStatus = {
    phase,
    mode,
    modelReady: isModelReady,
    replicas: observed.pods.filter(({ isLeaving }) => !isLeaving).length,
    readyReplicas: ready,
    ...(ready === 0 ? {} : { endpoint: endpointOf(service, mode) }),
    ...schedulingOf({ reason: reason === "Pending" ? "ModelNotReady" : reason, message }),
  };
  const notes: Note[] = reason === "Pending" ? [] : [{ type: "Warning", reason, message }];
  return { status: finish(service, { status, conditions, now }), notes };
}

export interface ServingFacts {
  readonly plan: WorkloadServing;
  readonly gpu: GpuPlan;
  readonly mode: ServingMode;
  readonly observed: ObservedService;
  /** Whether it fits, where that could be computed. */
  readonly fit: FitReport | undefined;
  readonly rollout: RolloutPlan;
  readonly lifetime: LifetimePlan;
  readonly advice: readonly Note[];
  readonly now: Instant;
}

export function raiseServing(service: InferenceService, facts: ServingFacts): Raised {
  const { plan, gpu, mode, observed, fit, now } = facts;
  const { health } = plan;
  const isClaimNew =
    observed.claim !== undefined && !(observed.claim.is === "known" && observed.claim.value.phase === "Bound");
  // A claim that was just made is bound in a moment, unless it is known why it is not.
  const isUnbound = isClaimNew && health.total > 0 && !hasClaimFault(health.failure);
  const isBinding = isUnbound && health.failure?.kind === "volume";
  const cause = isBinding ? undefined : diagnose(health, { gpu, observed });
  const phase = phaseOf(service, health, cause);
  const acceleration = accelerationOf(observed.pods);
  const download = reportDownload(service, observed);
  const progress = download?.message ?? (isUnbound ? unboundClaim : undefined);
  const conditions = [
    ...outcomeOf({
      phase,
      health,
      cause,
      progress,
      isDownloading: download?.message !== undefined,
      isIdled: isIdledByGateway(service),
    }),
    ...suspensionOf(service),
    ...transferOf(service, health, cause),
    ...driverOf(service, health, cause),
    ...accelerated(acceleration, phase),
    ...fitOf(isBeyondNodes(cause, health.failure) ? undefined : fit),
    ...rolloutOf(service, facts.rollout, plan.template),
    ...describeLifetime(facts.lifetime),
    ...checkEngine(service),
    ...describeIgnored(service, gpu),
    ...describeInstalledApis(service, observed.gateway),
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
    ...rememberRollout(service, facts.rollout, plan.template),
    ...waitsFor({ phase, cause, fit, progress: download?.message }),
    ...(download?.progress === undefined ? {} : { download: download.progress }),
    ...(phase === "WaitingForGPU" ? waitingFor(gpu) : {}),
    ...(acceleration === undefined ? {} : { acceleration }),
    ...gatewayOf(service, observed),
  };
  const notes = [
    ...notesOf(phase, cause, acceleration),
    ...fitNotes(fit),
    ...ignoredNotes(service, gpu),
    ...facts.advice,
  ];
  return { status: finish(service, { status, conditions, now }), notes };
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

/** A GPU that was asked for and does nothing is found out here and nowhere else. */
function accelerated(acceleration: ServiceStatus["acceleration"], phase: Phase): DecidedCondition[] {
  if (acceleration?.layersOffloaded !== 0 || phase !== "Ready") return [];
  return [{ type: "Degraded", status: "True", reason: "NotAccelerated", message: notAccelerated }];
}

const hasClaimFault = (failure: Failure | undefined): boolean =>
  (failure?.claims ?? []).some(({ fault, warning }) => fault !== undefined || warning?.is === "known");

const unboundClaim =
  "Waiting for a volume for the PersistentVolumeClaim of the model cache; check it with kubectl describe pvc";

const fitWords = { yes: "Fits", partly: "PartlyOnGPU", no: "DoesNotFit" } as const;

/** That it fits what is asked for helps nobody where no node has so much. */
const isBeyondNodes = (cause: Diagnosis | undefined, failure: Failure | undefined): boolean =>
  cause?.reason === "NoNodeFits" && failure?.lacking?.includes("memory") === true;

const fitOf = (fit: FitReport | undefined): DecidedCondition[] =>
  fit === undefined
    ? []
    : [
        {
          type: "Fits",
          status: fit.fits === "no" ? "False" : "True",
          reason: fitWords[fit.fits],
          message: fit.message,
        },
      ];

const notAccelerated =
  "The engine runs no layer on the requested GPU: its image is built without GPU support, or gpu.layers is 0";

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

interface Waiting {
  readonly phase: Phase;
  readonly cause: Diagnosis | undefined;
  readonly fit: FitReport | undefined;
  readonly progress: string | undefined;
}

/** Why it does not answer yet, in the column of listings: what is wrong, else that it cannot fit, else what takes its time. */
function waitsFor({ phase, cause, fit, progress }: Waiting): Scheduling {
  if (phase === "Ready" || phase === "Stopped" || phase === "Suspended") return {};
  if (cause !== undefined) return schedulingOf(cause);
  if (fit?.fits === "no") return schedulingOf({ reason: "DoesNotFit", message: fit.message });
  return progress === undefined ? {} : schedulingOf({ reason: "FetchingWeights", message: progress });
}

function notesOf(phase: Phase, cause: Diagnosis | undefined, acceleration: ServiceStatus["acceleration"]): Note[] {
  const notes: Note[] = [];
  if (phase === "Ready") notes.push({ type: "Normal", reason: "InferenceReady", message: "All replicas are ready" });
  if (cause !== undefined) notes.push({ type: "Warning", reason: cause.reason, message: cause.message });
  if (phase === "Ready" && acceleration?.layersOffloaded === 0)
    notes.push({ type: "Warning", reason: "NotAccelerated", message: notAccelerated });
  return notes;
}

const fitNotes = (fit: FitReport | undefined): Note[] =>
  fit === undefined || fit.fits === "yes"
    ? []
    : [{ type: "Warning", reason: fitWords[fit.fits], message: fit.message }];
