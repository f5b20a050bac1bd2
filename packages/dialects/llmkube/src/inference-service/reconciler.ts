import type { ServingPlan } from "@trivium/domain";
import { emitAutoscaler, emitClaim, emitDeployment, emitService } from "@trivium/emitters";
import { serve } from "@trivium/engines";
import { Deployment, HorizontalPodAutoscaler, PersistentVolumeClaim, Service } from "@trivium/kube";
import type { Decision, Desired, Reconciler, Touch } from "@trivium/reconcile";
import { deepEqual } from "@trivium/std";
import { InferenceService } from "../kinds/inference-service.ts";
import type { LlmkubeOptions } from "../options.ts";
import { planFit } from "./fit.ts";
import { lowerService } from "./lower.ts";
import { observeService, type ServiceSeen, serviceReads } from "./observe.ts";
import { raiseBlocked, raiseServing, type ServiceStatus } from "./raise.ts";
import { raiseMetal, staleIn } from "./raise-metal.ts";
import { planRollout } from "./rollout.ts";

export function serviceReconciler(
  options: LlmkubeOptions,
): Reconciler<InferenceService, ServiceSeen, (typeof serviceReads)[number]> {
  return {
    name: "llmkube.inference-service",
    kind: InferenceService,
    reads: serviceReads,
    writes: [Deployment, Service, HorizontalPodAutoscaler, PersistentVolumeClaim],
    observe: (service, look) => observeService(service, look, options),
    decide(service, seen, now): Decision<ServiceStatus> {
      const lowered = lowerService(service, seen, options);
      switch (lowered.is) {
        case "unknown":
          return { do: "hold", status: service.status ?? {} };
        case "blocked":
          return { do: "hold", ...raiseBlocked(service, lowered, { seen, now }) };
        case "metal": {
          const recheckIn = staleIn(seen.agent, now);
          const raised = raiseMetal(service, seen, now);
          return { do: "converge", children: [], ...raised, ...(recheckIn === undefined ? {} : { recheckIn }) };
        }
        case "intended": {
          const plan = serve(lowered.intent);
          const outdated = outdatedDeployment(service, plan, seen);
          const { gpu, mode } = lowered;
          const fit = planFit(service, lowered, seen);
          const rollout = planRollout(service, seen, { template: plan.template, now });
          const raised = raiseServing(service, { plan, gpu, mode, seen, fit, rollout, now });
          const workload = outdated !== undefined ? "goes" : rollout.is === "waits" ? "stays" : "wanted";
          return {
            do: "converge",
            children: childrenOf(plan, workload),
            ...(outdated === undefined ? {} : { touches: [outdated] }),
            ...raised,
            ...(rollout.is === "waits" ? { recheckIn: rollout.recheckIn } : {}),
          };
        }
      }
    },
  };
}

function childrenOf(plan: ServingPlan, workload: "wanted" | "stays" | "goes"): Desired[] {
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
  plan: ServingPlan,
  { deployment }: ServiceSeen,
): Touch | undefined {
  if (deployment.is !== "known" || deepEqual(deployment.value.selector, plan.workload.selector)) return undefined;
  const { namespace } = service.metadata;
  const ref = { namespace, name: plan.workload.name };
  return { touch: "delete", kind: Deployment, ref, uid: deployment.value.uid };
}
