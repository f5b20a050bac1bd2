import { emitService, emitServing } from "@trivium/emitters";
import { formatDiagnosis, serve, untilFailure } from "@trivium/engines";
import { Deployment, HorizontalPodAutoscaler, HTTPRoute, PersistentVolumeClaim, Pod, Service } from "@trivium/kube";
import { type Decision, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import type { Instant, Millis } from "@trivium/std";
import { InferenceService } from "../kinds/inference-service.ts";
import { templateAnnotation } from "../names.ts";
import type { LlmkubeOptions } from "../options.ts";
import { blockedEvents, servingEvents } from "./events.ts";
import { judgeService } from "./health/judge.ts";
import { lowerService } from "./lower.ts";
import { type ObservedService, observeService, serviceReads } from "./observe.ts";
import { raiseBlocked, raiseServing, type ServiceStatus } from "./raise.ts";
import { isOutdated, planPatches } from "./roles/transition.ts";
import { lowerCandidates } from "./selection/candidates.ts";
import { chooseImage } from "./selection/choose-image.ts";
import { type Blocked, failed, type Intended } from "./selection/lowered.ts";
import { adviseOn } from "./status/advice.ts";
import { ignoredBy, ignoredNotes } from "./status/ignored-fields.ts";
import { raiseMetal, staleIn } from "./status/metal.ts";
import { recallService } from "./status/recall.ts";
import { raiseRefused } from "./status/refused.ts";
import { canaryNotes } from "./status/routing.ts";
import { addressOf, closureOf } from "./traffic/address.ts";

interface Context {
  readonly observed: ObservedService;
  readonly now: Instant;
  readonly options: LlmkubeOptions;
}

export function serviceReconciler(
  options: LlmkubeOptions,
): Reconciler<InferenceService, ObservedService, (typeof serviceReads)[number]> {
  return {
    name: "llmkube.inference-service",
    podMark: templateAnnotation,
    kind: InferenceService,
    reads: serviceReads,
    writes: [Deployment, Service, HorizontalPodAutoscaler, PersistentVolumeClaim, HTTPRoute],
    patches: [{ kind: Pod, verbs: ["patch"] }],
    evicts: true,
    observe: (service, reader) => observeService(service, reader, options),
    decide: (service, observed, now) => decide(service, { observed, now, options }),
    recalls: recallService,
    refused: raiseRefused,
  };
}

function decide(service: InferenceService, context: Context): Decision<ServiceStatus> {
  const { observed, now, options } = context;
  if (hasUnresolved(observed)) return hold(service);
  const candidate = lowerCandidates(service, observed, options);
  switch (candidate.is) {
    case "unresolved":
      return hold(service);
    case "blocked":
      return decideBlocked(service, candidate, context);
    case "metal": {
      const recheckIn = staleIn(observed.agent, now);
      const status = raiseMetal(service, observed, now);
      return { do: "converge", children: [], status, ...(recheckIn === undefined ? {} : { recheckIn }) };
    }
    case "candidate": {
      const choice = chooseImage({ service, ...candidate, options });
      const lowered = lowerService(service, candidate, { choice, ...context });
      return lowered.is === "blocked"
        ? decideBlocked(service, { ...lowered, choice }, context)
        : decideServing(service, lowered, context);
    }
  }
}

const hold = ({ status }: InferenceService): Decision<ServiceStatus> => ({ do: "hold", status: status ?? {} });

/**
 * Callers of a service for which nothing can be created yet should get the reason, so its Service exists, closed. Where something runs,
 * a claim of its own may hold weights, or a Mac is to serve, everything stays unchanged.
 */
function decideBlocked(service: InferenceService, blocked: Blocked, context: Context): Decision<ServiceStatus> {
  const { observed, options } = context;
  const raised = { status: raiseBlocked(service, blocked, context), notes: blockedEvents(blocked) };
  const isMetal = observed.model.is === "known" && observed.model.value.spec.hardware?.accelerator === "metal";
  const isFree = observed.deployment.is === "absent" && options.cache.mode !== "perService" && !isMetal;
  if (!isFree) return { do: "hold", ...raised };
  const address = addressOf(service, closureOf(service) ?? blocked.message);
  return { do: "converge", children: [emitService(address)], ...raised };
}

function decideServing(service: InferenceService, intended: Intended, context: Context): Decision<ServiceStatus> {
  const served = serve(intended.intent);
  if (served.is === "unresolved") return hold(service);
  if (served.is === "blocked") {
    const blocked = failed("DoesNotFit", formatDiagnosis(served.blocker));
    return decideBlocked(service, { ...blocked, fit: served.fit, choice: served.choice }, context);
  }
  const { observed, now } = context;
  const [role] = served.plan.roles;
  if (role === undefined) return hold(service);
  const { health } = role;
  const judged = judgeService(service, intended, { health, fit: served.fit, observed, now });
  const patches = planPatches(service, observed, judged.lifetime);
  const template = intended.intent.roles[0]?.observed.template ?? "";
  const rechecks = [recheckOf(intended.rollout), recheckOf(judged.lifetime), untilFailure(health.failure, now)];
  const ignored = ignoredBy(service, intended, observed);
  const soonest = Math.min(...rechecks.filter((one) => one !== undefined));
  return {
    do: "converge",
    children: emitServing(served.plan).filter(({ kind }) => kind !== Deployment || !isOutdated(service, observed)),
    ...(patches.length === 0 ? {} : { patches }),
    status: raiseServing(service, intended, { judged, template, observed, ignored, now }),
    notes: [
      ...servingEvents(judged),
      ...ignoredNotes(ignored),
      ...canaryNotes(intended),
      ...adviseOn({ service, ...intended, observed }),
    ],
    ...(Number.isFinite(soonest) ? { recheckIn: soonest } : {}),
  };
}

const recheckOf = (plan: { readonly is: string; readonly recheckIn?: Millis }): Millis | undefined => plan.recheckIn;
