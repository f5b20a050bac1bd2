import type { PodPlan, RoleIntent } from "@trivium/domain";
import { annotateAdapters, type ServingAnnotations } from "@trivium/engines";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { adaptersOfObjects } from "../adapters/adapters-of-objects.ts";
import { labelsOf, selectorOf } from "../names/service-names.ts";
import type { ObservedService } from "../observe.ts";
import type { Engine } from "../pod/engines/index.ts";
import { lowerScaling, replicasOf } from "../scaling/lower-scaling.ts";
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
  const objects = adaptersOfObjects(service, { asked, engine, observed });
  const adapters = engine.adapters === undefined ? [] : [...asked.adapters, ...objects].map(({ name }) => name);
  const named = annotateAdapters(adapters, engine.adapters === "applied" ? "llama.cpp" : "vllm");
  const { metadata, spec, status } = service;
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const scaling = lowerScaling(service, engine);
  const replicas = replicasOf(spec, engine, live?.replicas);
  const workload = {
    name: metadata.name ?? "",
    labels: labelsOf(service),
    selector: selectorOf(service),
    pod,
    replicas: replicas.current,
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
    replicas,
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
