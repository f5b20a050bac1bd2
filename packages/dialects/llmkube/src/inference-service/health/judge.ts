import type { Failure, HealthReport, MemoryFit } from "@trivium/domain";
import type { FitReport } from "@trivium/engines";
import type { Instant } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import { type LifetimePlan, planLifetime } from "../roles/pod-lifetime.ts";
import type { Intended } from "../selection/lowered.ts";
import { type Phase, phaseOf } from "../status/availability.ts";
import { reportServingFit } from "../status/fits.ts";
import { type DownloadReport, reportDownload } from "../weights/progress.ts";
import { accelerationOf } from "./acceleration.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";

type ServiceStatus = NonNullable<InferenceService["status"]>;

/** Everything that the status of a planned service reports. */
export interface Judgement {
  readonly health: HealthReport;
  readonly phase: Phase;
  /** The one cause of what is wrong. */
  readonly cause: Diagnosis | undefined;
  readonly download: DownloadReport | undefined;
  /** Pods wait for the claim of the cache, and nothing says that it cannot be bound. */
  readonly isUnbound: boolean;
  /** Whether it fits, where that could be computed and matters. */
  readonly fit: FitReport | undefined;
  readonly acceleration: ServiceStatus["acceleration"];
  readonly lifetime: LifetimePlan;
}

export interface JudgedFacts {
  readonly health: HealthReport;
  readonly fit: MemoryFit | undefined;
  readonly observed: ObservedService;
  readonly now: Instant;
}

export function judgeService(service: InferenceService, { gpu }: Intended, facts: JudgedFacts): Judgement {
  const { health, fit, observed, now } = facts;
  const isClaimNew =
    observed.claim !== undefined && !(observed.claim.is === "known" && observed.claim.value.phase === "Bound");
  // A claim that was just created is bound in a moment, unless it is known why it is not.
  const isUnbound = isClaimNew && health.total > 0 && !hasClaimFault(health.failure);
  const isBinding = isUnbound && health.failure?.kind === "volume";
  const cause = isBinding ? undefined : diagnose(health, { gpu, observed });
  return {
    health,
    phase: phaseOf(service, health, cause),
    cause,
    download: reportDownload(service, observed),
    isUnbound,
    fit: reportServingFit(service, { fit, cause, health }),
    acceleration: accelerationOf(observed.pods),
    lifetime: planLifetime(service, observed, { health, now }),
  };
}

const hasClaimFault = (failure: Failure | undefined): boolean =>
  (failure?.claims ?? []).some(({ fault, warning }) => fault !== undefined || warning?.is === "known");
