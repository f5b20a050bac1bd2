import type { WorkloadServing } from "@trivium/domain";
import { emitAutoscaler, emitClaim, emitDeployment, emitService } from "@trivium/emitters";
import { serveWorkload, untilFailure } from "@trivium/engines";
import { Deployment, HorizontalPodAutoscaler, PersistentVolumeClaim, Pod, Service } from "@trivium/kube";
import type { Decision, Desired, Patch, Reconciler } from "@trivium/reconcile";
import { deepEqual, type Instant } from "@trivium/std";
import { InferenceService } from "../kinds/inference-service.ts";
import type { LlmkubeOptions } from "../options.ts";
import { lowerService } from "./lower.ts";
import { type ObservedService, observeService, serviceReads } from "./observe.ts";
import { raiseBlocked, raiseServing, type ServiceStatus } from "./raise.ts";
import { shieldPods } from "./roles/disruption.ts";
import type { Blocked, LoweredService } from "./roles/lowered.ts";
import { evictionOf, planLifetime } from "./roles/pod-lifetime.ts";
import { planRollout } from "./roles/rollout.ts";
import { planFit } from "./sizing/fit.ts";
import { adviseOn } from "./status/advice.ts";
import { raiseMetal, staleIn } from "./status/metal.ts";
import { raiseRefused } from "./status/refused.ts";
import { addressOf, closureOf } from "./traffic/address.ts";

export function serviceReconciler(
  options: LlmkubeOptions,
): Reconciler<InferenceService, ObservedService, (typeof serviceReads)[number]> {
  return {
    name: "llmkube.inference-service",
    kind: InferenceService,
    reads: serviceReads,
    writes: [Deployment, Service, HorizontalPodAutoscaler, PersistentVolumeClaim, Pod],
    evicts: true,
    observe: (service, reader) => observeService(service, reader, options),
    decide(service, observed, now): Decision<ServiceStatus> {
      const lowered = lowerService(service, observed, options);
      switch (lowered.is) {
        case "unknown":
          return { do: "hold", status: service.status ?? {} };
        case "blocked":
          return decideBlocked(service, lowered, { observed, now, options });
        case "metal": {
          const recheckIn = staleIn(observed.agent, now);
          const raised = raiseMetal(service, observed, now);
          return { do: "converge", children: [], ...raised, ...(recheckIn === undefined ? {} : { recheckIn }) };
        }
        case "intended":
          return decideServing(service, lowered, { observed, now });
      }
    },
    refused: raiseRefused,
  };
}

/**
 * Who asks for a service that nothing can be made for yet should hear why, so its Service is there, closed. Where something runs,
 * a claim of its own may hold weights, or a Mac is to serve, all stays as it is.
 */
function decideBlocked(
  service: InferenceService,
  blocked: Blocked,
  { observed, now, options }: { observed: ObservedService; now: Instant; options: LlmkubeOptions },
): Decision<ServiceStatus> {
  const raised = raiseBlocked(service, blocked, { observed, now });
  const isMetal = observed.model.is === "known" && observed.model.value.spec.hardware?.accelerator === "metal";
  const isFree = observed.deployment.is === "absent" && options.cache.mode !== "perService" && !isMetal;
  if (!isFree) return { do: "hold", ...raised };
  const address = addressOf(service, closureOf(service) ?? blocked.message);
  return { do: "converge", children: [emitService(address)], ...raised };
}

type Intended = Extract<LoweredService, { is: "intended" }>;

function decideServing(
  service: InferenceService,
  { intent, gpu, mode, model, storage, sizing, layers }: Intended,
  { observed, now }: { observed: ObservedService; now: Instant },
): Decision<ServiceStatus> {
  const plan = serveWorkload({ ...intent, now });
  const { health, template } = plan;
  const outdated = outdatedDeployment(service, plan, observed);
  const fit = planFit(sizing, layers);
  const rollout = planRollout(service, observed, { template, now });
  const lifetime = planLifetime(service, observed, { health, now });
  const advice = adviseOn({ service, model, gpu, storage, observed });
  const raised = raiseServing(service, { plan, gpu, mode, observed, fit, rollout, lifetime, advice, now });
  const workload = outdated !== undefined ? "goes" : rollout.is === "waits" ? "stays" : "wanted";
  const patches = [
    ...(outdated === undefined ? [] : [outdated]),
    ...shieldPods(service, observed),
    ...evictionOf(service, lifetime),
  ];
  const planned = [rollout, lifetime].flatMap((one) => ("recheckIn" in one ? (one.recheckIn ?? []) : []));
  const rechecks = [...planned, untilFailure(health.failure, now) ?? []].flat();
  return {
    do: "converge",
    children: childrenOf(plan, workload),
    ...(patches.length === 0 ? {} : { patches }),
    ...raised,
    ...(rechecks.length === 0 ? {} : { recheckIn: Math.min(...rechecks) }),
  };
}

function childrenOf(plan: WorkloadServing, workload: "wanted" | "stays" | "goes"): Desired[] {
  const deployment = emitDeployment(plan.workload);
  const kept = workload === "stays" ? { ...deployment, keep: true as const } : deployment;
  return [
    ...(plan.cache === undefined ? [] : [emitClaim(plan.cache)]),
    ...(workload === "goes" ? [] : [kept]),
    emitService(plan.address),
    ...(plan.scaling === undefined ? [] : [emitAutoscaler(plan.scaling)]),
  ];
}

/** The selector of a Deployment cannot change, so one with another (of an older operator) goes and is made anew. */
function outdatedDeployment(
  service: InferenceService,
  plan: WorkloadServing,
  { deployment }: ObservedService,
): Patch | undefined {
  if (deployment.is !== "known" || deepEqual(deployment.value.selector, plan.workload.selector)) return undefined;
  const { namespace } = service.metadata;
  const ref = { namespace, name: plan.workload.name };
  return { patch: "delete", kind: Deployment, ref, uid: deployment.value.uid };
}
