import type { HealthReport, ServingPlan } from "@trivium/domain";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { type GpuPlan, gpuCount } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { stampLastUpdated } from "../last-updated.ts";
import type { ServiceReason } from "../words.ts";
import { accelerationOf } from "./acceleration.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";
import type { FitReport } from "./fit.ts";
import type { LoweredService } from "./lower.ts";
import { serviceNameOf } from "./names.ts";
import type { ServiceSeen } from "./observe.ts";
import { usualPriority } from "./priority.ts";
import { describeProgress } from "./progress.ts";
import { keyOf, placeInQueue } from "./queue.ts";
import { type RolloutPlan, rolledOut } from "./rollout.ts";
import { endpointPathOf, type ServingMode } from "./serving-mode.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;
type Phase = NonNullable<ServiceStatus["phase"]>;

export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: Note[];
}

/** What can be said when nothing could be planned; what runs goes on running. */
export function raiseBlocked(
  service: InferenceService,
  blocked: Extract<LoweredService, { is: "blocked" }>,
  { seen, now }: { seen: ServiceSeen; now: Instant },
): Raised {
  const { phase, reason, message, isModelReady } = blocked;
  const ready = seen.pods.filter((pod) => pod.isReady && !pod.isLeaving).length;
  const conditions: DecidedCondition[] = [
    ready > 0
      ? { type: "Available", status: "True", reason: "PartiallyReady", message: "What ran before still answers" }
      : { type: "Available", status: "False", reason: "NoReadyReplicas", message },
    reason === "Pending"
      ? { type: "Progressing", status: "True", reason, message }
      : { type: "Degraded", status: "True", reason, message },
  ];
  const status: ServiceStatus = {
    phase,
    modelReady: isModelReady,
    replicas: seen.pods.filter(({ isLeaving }) => !isLeaving).length,
    readyReplicas: ready,
    conditions: conditions as NonNullable<ServiceStatus["conditions"]>,
  };
  const notes: Note[] = reason === "Pending" ? [] : [{ type: "Warning", reason, message }];
  return { status: stampLastUpdated(service.status, stamped(service, status), now), notes };
}

export interface ServingFacts {
  readonly plan: ServingPlan;
  readonly gpu: GpuPlan;
  readonly mode: ServingMode;
  readonly seen: ServiceSeen;
  /** Whether it fits, where that could be computed. */
  readonly fit: FitReport | undefined;
  readonly rollout: RolloutPlan;
  readonly now: Instant;
}

export function raiseServing(service: InferenceService, facts: ServingFacts): Raised {
  const { plan, gpu, mode, seen, now } = facts;
  const { health } = plan;
  const isClaimNew = seen.claim !== undefined && !(seen.claim.is === "known" && seen.claim.value.phase === "Bound");
  // A claim that was just made is bound in a moment, or says itself why it is not.
  const cause = isClaimNew && health.trouble?.kind === "volume" ? undefined : diagnose(health, gpu);
  const phase = phaseOf(service, health, cause);
  const acceleration = accelerationOf(seen.pods);
  const progress = describeProgress(seen.pods) ?? (isClaimNew && health.total > 0 ? unboundClaim : undefined);
  const conditions = [
    ...verdictOf({ phase, health, cause, progress }),
    ...suspensionOf(service),
    ...transferOf(service, health, cause),
    ...driverOf(service, health, cause),
    ...accelerated(acceleration, phase),
    ...fitOf(facts.fit),
    ...rolloutOf(service, facts.rollout, plan.template),
  ];
  const status: ServiceStatus = {
    phase,
    mode,
    modelReady: true,
    replicas: health.total,
    readyReplicas: health.ready,
    desiredReplicas: health.desired,
    endpoint: endpointOf(service, mode),
    effectivePriority: seen.priority.is === "known" ? seen.priority.value : usualPriority(service),
    ...(phase === "Ready" || cause === undefined ? {} : schedulingOf(cause)),
    ...(phase === "WaitingForGPU" ? queueOf(service, facts) : {}),
    ...(acceleration === undefined ? {} : { acceleration }),
    conditions: conditions as NonNullable<ServiceStatus["conditions"]>,
  };
  const notes = [...notesOf(phase, cause, acceleration), ...fitNotes(facts.fit)];
  return { status: stampLastUpdated(service.status, stamped(service, status), now), notes };
}

const stamped = ({ metadata }: InferenceService, status: ServiceStatus): ServiceStatus =>
  metadata.generation === undefined
    ? status
    : {
        ...status,
        conditions: (status.conditions ?? []).map((one) => ({ ...one, observedGeneration: metadata.generation ?? 0 })),
      };

function phaseOf({ spec }: InferenceService, health: HealthReport, cause: Diagnosis | undefined): Phase {
  const { desired, ready, answering } = health;
  if (spec.suspend === true) return "Suspended";
  if (desired > 0 && ready >= desired) return "Ready";
  if (desired === 0) return "Stopped";
  if (ready > 0 || answering > 0) return "Progressing";
  if (cause?.reason === "InsufficientGPU") return "WaitingForGPU";
  return "Creating";
}

interface Verdict {
  readonly phase: Phase;
  readonly health: HealthReport;
  readonly cause: Diagnosis | undefined;
  readonly progress: string | undefined;
}

/** Whether it answers, whether it is on its way, and what is in the way. */
function verdictOf({ phase, health, cause, progress }: Verdict): DecidedCondition[] {
  const { ready, answering, desired } = health;
  const conditions: DecidedCondition[] = [availability(phase, health, cause)];
  if (phase === "Ready" || phase === "Suspended" || phase === "Stopped") return conditions;
  const waiting = phase === "WaitingForGPU";
  const how = progress ?? health.unlisted?.why ?? `${Math.max(ready, answering)} of ${desired} replicas answer`;
  conditions.push({
    type: "Progressing",
    status: "True",
    reason: waiting ? "WaitingForGPU" : progress?.startsWith("Fetching") ? "FetchingWeights" : "Creating",
    message: waiting ? (cause?.message ?? "") : how,
  });
  if (waiting) {
    conditions.push({
      type: "GPUAvailable",
      status: "False",
      reason: "InsufficientGPU",
      message: cause?.message ?? "",
    });
  } else if (cause !== undefined) {
    conditions.push({ type: "Degraded", status: "True", reason: degradation(cause.reason), message: cause.message });
  }
  return conditions;
}

/** Why a download failed has a condition of its own. */
const degradation = (reason: ServiceReason): string =>
  /^Model(Source|Transfer)|^Integrity/.test(reason)
    ? "WeightsUnavailable"
    : reason === "CUDADriverInsufficient"
      ? "EngineCrashed"
      : reason;

function availability(
  phase: Phase,
  { ready, answering, desired, unlisted }: HealthReport,
  cause: Diagnosis | undefined,
): DecidedCondition {
  const type = "Available";
  if (phase === "Ready")
    return { type, status: "True", reason: "InferenceReady", message: `${ready} of ${desired} replicas answer` };
  if (phase === "Suspended")
    return { type, status: "False", reason: "Suspended", message: "Suspended; set spec.suspend to false to go on" };
  if (phase === "Stopped")
    return {
      type,
      status: "False",
      reason: "ManuallyScaledToZero",
      message: "Scaled to zero; raise spec.replicas to go on",
    };
  if (answering > 0 && unlisted === undefined)
    return {
      type,
      status: "True",
      reason: "PartiallyReady",
      message: `${answering} replicas answer, ${desired} are wanted`,
    };
  if (unlisted !== undefined)
    return {
      type,
      status: "False",
      reason: "ModelNotListed",
      message: `Pod ${unlisted.pod} is ready, but ${unlisted.why}`,
    };
  return { type, status: "False", reason: "NoReadyReplicas", message: cause?.message ?? "No replica answers yet" };
}

function suspensionOf({ spec, status }: InferenceService): DecidedCondition[] {
  if (spec.suspend === true)
    return [{ type: "Suspended", status: "True", reason: "Suspended", message: "spec.suspend is true" }];
  const wasSaid = status?.conditions?.some(({ type }) => type === "Suspended") === true;
  return wasSaid
    ? [{ type: "Suspended", status: "False", reason: "NotSuspended", message: "spec.suspend is false" }]
    : [];
}

const isTransfer = (reason: string): boolean => /^Model(Source|Transfer)|^IntegrityCheckFailed$/.test(reason);

/** Said once a download failed, and taken back when one succeeds. */
function transferOf(
  { status }: InferenceService,
  { answering }: HealthReport,
  cause: Diagnosis | undefined,
): DecidedCondition[] {
  const type = "ModelTransferHealthy";
  if (cause !== undefined && isTransfer(cause.reason))
    return [{ type, status: "False", reason: cause.reason, message: cause.message }];
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined) return [];
  if (answering > 0)
    return [{ type, status: "True", reason: "ModelTransferSucceeded", message: "The weights were fetched" }];
  const { status: state, reason, message } = before;
  return [{ type, status: state, reason, message }];
}

function driverOf(
  { status }: InferenceService,
  { answering }: HealthReport,
  cause: Diagnosis | undefined,
): DecidedCondition[] {
  const type = "DriverCompatible";
  if (cause?.reason === "CUDADriverInsufficient")
    return [{ type, status: "False", reason: cause.reason, message: cause.message }];
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined) return [];
  if (answering > 0) return [{ type, status: "True", reason: "RuntimeStarted", message: "An engine has started" }];
  const { status: state, reason, message } = before;
  return [{ type, status: state, reason, message }];
}

/** A GPU that was asked for and does nothing is found out here and nowhere else. */
function accelerated(acceleration: ServiceStatus["acceleration"], phase: Phase): DecidedCondition[] {
  if (acceleration?.layersOffloaded !== 0 || phase !== "Ready") return [];
  return [{ type: "Degraded", status: "True", reason: "NotAccelerated", message: notAccelerated }];
}

/** Said while a change is held back, and taken back when it goes. */
function rolloutOf({ status }: InferenceService, rollout: RolloutPlan, template: string): DecidedCondition[] {
  const type = "RolloutDeferred";
  if (rollout.is === "waits") return [{ type, status: "True", reason: rollout.reason, message: rollout.message }];
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined) return [];
  const reason = rollout.reason ?? (before.status === "False" ? before.reason : "PodsIdle");
  return [{ type, status: "False", reason, message: rolledOut(template) }];
}

const unboundClaim = "The claim of the model cache has no volume yet; kubectl describe pvc tells why";

const fitOf = (fit: FitReport | undefined): DecidedCondition[] =>
  fit === undefined
    ? []
    : [
        {
          type: "Fits",
          status: fit.fits ? "True" : "False",
          reason: fit.fits ? "Fits" : "DoesNotFit",
          message: fit.message,
        },
      ];

const notAccelerated =
  "The engine put no layer on the GPU that was asked for: its image may be built for processors only, or gpu.layers is 0";

const schedulingOf = ({
  reason,
  message,
}: Diagnosis): Pick<ServiceStatus, "schedulingStatus" | "schedulingMessage"> => ({
  schedulingStatus: reason,
  schedulingMessage: message,
});

function queueOf(
  service: InferenceService,
  { gpu, seen }: ServingFacts,
): Pick<ServiceStatus, "queuePosition" | "waitingFor"> {
  const priority = seen.priority.is === "known" ? seen.priority.value : usualPriority(service);
  const entry = { key: keyOf(service), priority, createdAt: service.metadata.creationTimestamp ?? "" };
  return {
    queuePosition: placeInQueue(entry, seen.queue),
    ...(gpu.is === "resource" ? { waitingFor: `${gpu.resource}: ${gpuCount(gpu)}` } : {}),
  };
}

function endpointOf(service: InferenceService, mode: ServingMode): string {
  const { port = 8080 } = service.spec.endpoint ?? {};
  const host = `${serviceNameOf(service)}.${service.metadata.namespace}.svc.cluster.local`;
  return `http://${host}:${port}${endpointPathOf(service, mode)}`;
}

function notesOf(phase: Phase, cause: Diagnosis | undefined, acceleration: ServiceStatus["acceleration"]): Note[] {
  const notes: Note[] = [];
  if (phase === "Ready") notes.push({ type: "Normal", reason: "InferenceReady", message: "All replicas answer" });
  if (cause !== undefined) notes.push({ type: "Warning", ...cause });
  if (phase === "Ready" && acceleration?.layersOffloaded === 0)
    notes.push({ type: "Warning", reason: "NotAccelerated", message: notAccelerated });
  return notes;
}

const fitNotes = (fit: FitReport | undefined): Note[] =>
  fit === undefined || fit.fits ? [] : [{ type: "Warning", reason: "DoesNotFit", message: fit.message }];
