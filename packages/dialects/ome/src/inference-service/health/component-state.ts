import type { Failure, HealthReport } from "@trivium/domain";
import { asleepMessage } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observed/service.ts";
import type { ObservedWorkload } from "../observed/workload.ts";
import { classOf } from "../pod/accelerator/index.ts";
import type { ComponentPlan } from "../roles/component-plan.ts";
import type { GroupComponent } from "../roles/group-component.ts";
import type { RawComponent } from "../roles/raw-component.ts";
import { describeFailure } from "../status/model-status.ts";
import { conditionOf, say } from "../status/say.ts";
import { revisionState } from "./revision-state.ts";
import type { ComponentState, ComponentStatus } from "./state.ts";

interface Subject {
  readonly service: InferenceService;
  readonly observed: ObservedService;
  readonly health: HealthReport | undefined;
}

export function stateOf(plan: ComponentPlan, subject: Subject): ComponentState {
  const { service } = subject;
  const state = bareState(plan, subject);
  const named = classOf(service, plan.name);
  if (named === undefined) return state;
  const selectedAccelerator = { acceleratorClass: named.name, reason: `Set in ${named.place}` };
  return { ...state, shown: { ...state.shown, selectedAccelerator } };
}

function bareState(plan: ComponentPlan, { service, observed, health }: Subject): ComponentState {
  const failure = health?.failure;
  if (plan.mode === "Serverless") return revisionState(plan, { observed, service, failure });
  const fact = plan.mode === "MultiNode" ? observed.groups?.[plan.name] : observed.deployments[plan.name];
  const live = fact?.is === "known" ? fact.value : undefined;
  return workloadState(plan, { live, failure, namespace: service.metadata.namespace });
}

interface Context {
  readonly live: ObservedWorkload | undefined;
  readonly failure: Failure | undefined;
  readonly namespace: string | undefined;
}

function workloadState(plan: RawComponent | GroupComponent, { live, failure, namespace }: Context): ComponentState {
  const { name, address } = plan;
  const type = conditionOf[name];
  const shown = {
    ...(live?.revision === undefined ? {} : { latestCreatedRevision: live.revision }),
    ...trafficOf(plan),
  };
  const state = { component: name, failure, details: canaryConditions(plan, failure) };
  if (plan.replicas.current === 0) {
    const message = asleepMessage;
    return { ...state, isReady: true, condition: say(type, "True", { reason: "Idle", message }), shown };
  }
  const { available } = live ?? {};
  if (available?.status === "True") {
    const message = available.message || "Pods are ready";
    const url = `http://${address.name}.${namespace}.svc.cluster.local:${address.ports[0]?.port ?? 8080}`;
    const condition = say(type, "True", { reason: "MinimumReplicasAvailable", message });
    return { ...state, isReady: true, condition, shown: { ...shown, ...addressesOf(url) } };
  }
  const workload = plan.mode === "MultiNode" ? "LeaderWorkerSet" : "Deployment";
  const found =
    failure !== undefined
      ? { reason: failure.isPassing ? "Initializing" : "ComponentFailed", message: describeFailure(name, failure) }
      : available === undefined
        ? { reason: "Initializing", message: `The ${workload} has not reported whether its pods are ready` }
        : { reason: "MinimumReplicasUnavailable", message: available.message };
  const isOpen = failure === undefined ? available === undefined : failure.isPassing === true;
  const status = isOpen ? "Unknown" : "False";
  return { ...state, isReady: false, condition: say(type, status, found), shown };
}

/** Servers speak HTTP, so the address for REST is the same. */
export const addressesOf = (url: string): Pick<ComponentStatus, "url" | "restURL" | "address"> => ({
  url,
  restURL: url,
  address: { url },
});

/** How requests are shared while something new is tried out. */
function trafficOf(plan: RawComponent | GroupComponent): Pick<ComponentStatus, "traffic"> {
  if (plan.mode !== "RawDeployment" || plan.canary === undefined) return {};
  const [before, latest] = plan.canary.backends;
  return {
    traffic: [
      { latestRevision: true, revisionName: plan.canary.workload.name, percent: latest?.weight ?? 0 },
      { latestRevision: false, revisionName: plan.workload.name, percent: before?.weight ?? 100, tag: "prev" },
    ],
  };
}

function canaryConditions(plan: ComponentPlan, failure: Failure | undefined): DecidedCondition[] {
  const canary = plan.mode === "RawDeployment" ? plan.canary : undefined;
  if (canary === undefined) return [];
  const { name } = canary.workload;
  if (canary.isUp) {
    const message = `${canary.percent}% of the requests go to ${name}; remove canaryTrafficPercent to roll it out`;
    return [say("CanaryReady", "True", { reason: "CanaryServes", message })];
  }
  const why = failure === undefined ? "its pods are not ready yet" : describeFailure(plan.name, failure);
  const message = `No requests go to ${name}: ${why}`;
  return [say("CanaryReady", "False", { reason: "CanaryNotAvailable", message })];
}
