import type { PodPlan, RoleIntent, RoleScaling } from "@trivium/domain";
import type { ServingAnnotations } from "@trivium/engines";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelsOf, selectorOf } from "../names/service-names.ts";
import type { ObservedService } from "../observe.ts";
import type { Engine } from "../pod/engines/index.ts";
import { planScaling, replicasOf } from "../scaling/plan-scaling.ts";
import { addressOf, closureOf } from "../traffic/address.ts";
import { lowerCanary } from "../traffic/canary.ts";
import type { RolloutPlan } from "./rollout.ts";

export interface ServerInput {
  readonly engine: Engine;
  readonly gpu: GpuPlan;
  readonly pod: PodPlan;
  readonly template: string;
  readonly rollout: RolloutPlan;
  readonly observed: ObservedService;
  readonly asked: ServingAnnotations;
}

/** The one role of a service: its engine, behind its Service. */
export function serverRole(service: InferenceService, input: ServerInput): RoleIntent {
  const { engine, gpu, pod, template, rollout, observed, asked } = input;
  const named = engine.adapters === "named" ? asked.adapters.map(({ name }) => name) : [];
  const { metadata, spec, status } = service;
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const scaled = planScaling(service, engine);
  const current = replicasOf(service, scaled, live?.replicas);
  const scaling: RoleScaling = scaled === undefined ? { is: "fixed" } : { is: "hpa", plan: scaled };
  const workload = {
    name: metadata.name ?? "",
    labels: labelsOf(service),
    selector: selectorOf(service),
    pod,
    replicas: current,
    update: gpu.is === "none" ? "roll" : "replace",
    history: spec.revisionHistoryLimit,
  } as const;
  const address = addressOf(service, closureOf(service), named);
  const canary = lowerCanary(service, { asked, template, workload, address }, observed);
  return {
    name: "server",
    shape: { is: "deployment", workload },
    address,
    canary,
    replicas: { min: scaled?.min ?? current, max: scaled?.max ?? current, current },
    scaling,
    ...(rollout.is === "waits" ? { keep: true } : {}),
    observed: {
      // While a newer template is tried out, what serves is the one before.
      template: canary === undefined ? template : (live?.template ?? template),
      pods: observed.pods,
      refused: live?.refused,
      wasServing: status?.phase === "Ready" || status?.phase === "Progressing",
    },
  };
}
