import type { HealthReport } from "@trivium/domain";
import {
  asleepMessage,
  describeCanary,
  describeReplicas,
  isStopped,
  servingAnnotations,
  standInRemark,
  stoppedMessage,
} from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import type { ChosenClasses } from "../../accelerators/index.ts";
import { componentPaths } from "../../field-paths.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observed/service.ts";
import type { ObservedWorkload } from "../observed/workload.ts";
import { effectsOf } from "../pod/accelerator/index.ts";
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
  readonly now: Instant;
  readonly accelerators: ChosenClasses;
}

export function stateOf(plan: ComponentPlan, subject: Subject): ComponentState {
  const state = bareState(plan, subject);
  const chosen = plan.name === "router" ? undefined : subject.accelerators[plan.name];
  if (chosen === undefined || plan.name === "router") return state;
  const { nodeSelector, resources } = effectsOf(subject.service, plan.name, chosen);
  const selectedAccelerator = {
    acceleratorClass: chosen.name,
    reason: chosen.reason,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(Object.keys(resources).length === 0 ? {} : { resourceRequests: resources }),
  };
  return { ...state, shown: { ...state.shown, selectedAccelerator } };
}

function bareState(plan: ComponentPlan, { service, observed, health, now }: Subject): ComponentState {
  const failure = health?.failure;
  if (plan.mode === "Serverless") return revisionState(plan, { observed, service, failure });
  const fact = plan.mode === "MultiNode" ? observed.groups?.[plan.name] : observed.deployments[plan.name];
  const live = fact?.is === "known" ? fact.value : undefined;
  const { namespace } = service.metadata;
  const restart = `remove annotation ${servingAnnotations.stopped}`;
  const stopped = isStopped(service.metadata) ? stoppedMessage(service.metadata, restart) : undefined;
  return workloadState(plan, { live, health, stopped, namespace, now });
}

interface Context {
  readonly live: ObservedWorkload | undefined;
  readonly health: HealthReport | undefined;
  /** What is said of it where a person stopped it. */
  readonly stopped: string | undefined;
  readonly namespace: string | undefined;
  readonly now: Instant;
}

function workloadState(plan: RawComponent | GroupComponent, context: Context): ComponentState {
  const { live, health, namespace, now } = context;
  const { name, address } = plan;
  const failure = health?.failure;
  const type = conditionOf[name];
  const shown = {
    ...(live?.revision === undefined ? {} : { latestCreatedRevision: live.revision }),
    ...trafficOf(plan),
  };
  const state = { component: name, failure, details: plan.mode === "RawDeployment" ? canaryConditions(plan, now) : [] };
  if (plan.replicas.current === 0) {
    const message = context.stopped ?? asleepMessage;
    return { ...state, isReady: true, condition: say(type, "True", { reason: "Idle", message }), shown };
  }
  const { available } = live ?? {};
  if (available?.status === "True") {
    const remark = standInRemark(health);
    const message = remark === "" ? available.message || "Pods are ready" : `Pods are ready${remark}`;
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
        : { reason: "MinimumReplicasUnavailable", message: startingMessage(plan, context) };
  const isOpen = failure === undefined ? available === undefined : failure.isPassing === true;
  const status = isOpen ? "Unknown" : "False";
  return { ...state, isReady: false, condition: say(type, status, found), shown };
}

/** Nothing is wrong with its pods: they need time. What a group reports is about more than its leaders. */
function startingMessage(plan: RawComponent | GroupComponent, { live, health }: Context): string {
  const reported = live?.available?.message ?? "";
  if (plan.mode !== "RawDeployment" || health === undefined || health.answering >= health.desired) return reported;
  return `${describeReplicas(health)}; waiting for the pods of Deployment ${plan.workload.name} to start`;
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
  const rest = { latestRevision: false, revisionName: plan.workload.name, percent: before?.weight ?? 100, tag: "prev" };
  if (latest === undefined) return { traffic: [rest] };
  return {
    traffic: [{ latestRevision: true, revisionName: plan.canary.workload.name, percent: latest.weight }, rest],
  };
}

/** How the newest template gets on, while it is tried out. */
function canaryConditions({ name, canary, canarySetting }: RawComponent, now: Instant): DecidedCondition[] {
  if (canary === undefined) return [];
  const context = { paths: componentPaths(name), now, setting: canarySetting };
  return [{ type: "CanaryReady", ...describeCanary(canary, context) }];
}
