import {
  emitAutoscaler,
  emitCollector,
  emitDeployment,
  emitInferenceService,
  emitScaledObject,
  emitService,
} from "@trivium/emitters";
import { reportHealth } from "@trivium/engines";
import type { Desired } from "@trivium/reconcile";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import type { Lowered } from "../lower.ts";
import { templateAnnotation } from "../names/labels.ts";
import type { Service } from "../names/names.ts";
import type { ObservedService, ObservedTemplate } from "../observed/observed-service.ts";
import { faultOfResources } from "../pod/resources.ts";
import { secretsAbsent } from "../pod/secrets.ts";
import {
  containerPort,
  envOf,
  planAddress,
  planInference,
  planWorkload,
  pullSecretsOf,
  resourcesOf,
  type ServingInput,
  servingLabels,
} from "../pod/serving.ts";
import type { KVPlan } from "../prompt-cache/kv-cache.ts";
import { planScaling, type Scaling } from "../scaling/plan-scaling.ts";
import type { Choice } from "../selection/choose.ts";
import { keptTemplate } from "../selection/kept-template.ts";
import * as of from "../selection/template-facts.ts";
import { findHostMisfit } from "../sizing/host-fit.ts";
import { planCache } from "../weights/cache-plan.ts";
import { sourcesOf } from "../weights/sources.ts";
import { faultOfReplicas } from "./replicas.ts";

export interface ServerInput {
  readonly service: Service;
  readonly choice: Choice;
  readonly settings: Settings | undefined;
  readonly kv: KVPlan;
  readonly options: AimOptions;
}

export interface ServerPlan extends Pick<Lowered, "cache" | "fault" | "secrets" | "scaling" | "health" | "children"> {
  /** Whether what serves is described whole; if not, what runs stays as it is. */
  readonly isServing: boolean;
}

/** What serves the model, as far as all that it needs is known. */
export function planServer(
  { service, choice, settings, kv, options }: ServerInput,
  observed: ObservedService,
): ServerPlan {
  const { template, model } = choice;
  if (template === undefined || model === undefined) return { isServing: false, children: [] };
  const fault = faultOf(service, { template, model });
  const found = fault === undefined ? {} : { fault };
  if (settings === undefined) return { ...found, isServing: false, children: [] };
  const basis = { service, model, template, settings, kv, options, ...runningOf(service, template, observed) };
  const pod = { env: envOf(basis), imagePullSecrets: pullSecretsOf(basis) };
  const known = { ...found, secrets: secretsAbsent(pod, observed.missingSecrets) };
  if (!of.isReady(template) || sourcesOf(template).length === 0) return { ...known, isServing: false, children: [] };
  const misfit = findHostMisfit({ service, model, template, observed });
  // Checked before the cache: weights that no node can load are not fetched.
  if (fault === undefined && misfit !== undefined)
    return { ...known, fault: { reason: "DoesNotFit", message: misfit }, isServing: false, children: [] };
  const cache = planCache({ service, template, settings, observed, root: options.cacheRoot });
  const isPlaced = cache.is === "cached" || cache.is === "temporary";
  if (fault !== undefined || !isPlaced || (kv.is !== "off" && kv.is !== "ready"))
    return { ...known, cache, isServing: false, children: [] };
  return { ...known, cache, isServing: true, ...planServing({ ...basis, cache }, observed) };
}

function runningOf(
  service: Service,
  template: ObservedTemplate,
  observed: ObservedService,
): Pick<ServingInput, "running"> {
  const [live] = [observed.inferenceService, observed.deployment].flatMap((fact) =>
    fact.is === "known" ? [fact.value] : [],
  );
  const isReadyThere = observed.inferenceService.is === "known" && observed.inferenceService.value.isReady;
  const answers = isReadyThere || observed.pods.some(({ isReady, isLeaving }) => isReady && !isLeaving);
  if (live === undefined || !answers || keptTemplate(service)?.name !== template.name) return {};
  return { running: live.nodes === undefined ? {} : { nodes: live.nodes } };
}

function faultOf(service: Service, { template, model }: Pick<ServingInput, "template" | "model">): Lowered["fault"] {
  const replicas = faultOfReplicas(service);
  if (replicas !== undefined) return { reason: "InvalidReplicas", message: replicas };
  const resources = faultOfResources(resourcesOf({ service, template, model }));
  return resources === undefined ? undefined : { reason: "InvalidResources", message: resources };
}

function planServing(
  input: ServingInput,
  observed: ObservedService,
): Pick<ServerPlan, "scaling" | "health" | "children"> {
  const { service, options } = input;
  const scaling = planScaling({ service, observed, labels: servingLabels(input), port: containerPort, options });
  if (observed.kserve.is === "known" && observed.kserve.value)
    return { scaling, children: [emitInferenceService(planInference(input))] };
  const live = observed.deployment.is === "known" ? observed.deployment.value : undefined;
  const workload = planWorkload(input, scaling, live);
  const address = planAddress(input);
  const template = workload.pod.annotations[templateAnnotation] ?? "";
  const wasServing = service.status?.status === "Running";
  const health = reportHealth({
    desired: workload.replicas,
    template,
    pods: observed.pods,
    refused: live?.refused,
    wasServing,
  });
  return { scaling, health, children: [emitDeployment(workload), emitService(address), ...scalingChildren(scaling)] };
}

function scalingChildren(scaling: Scaling): Desired[] {
  if (scaling.is === "kubernetes") return [emitAutoscaler(scaling.plan)];
  if (scaling.is !== "keda") return [];
  const { plan, collector } = scaling;
  return [emitScaledObject(plan), ...(collector === undefined ? [] : [emitCollector(collector)])];
}
