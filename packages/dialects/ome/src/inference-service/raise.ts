import type { Trouble } from "@trivium/domain";
import { findTrouble } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import type { ServiceCondition } from "../words.ts";
import { type ComponentName, componentNames } from "./component.ts";
import type { ComponentPlan } from "./component-plan.ts";
import { addressOf, urlOf } from "./entry.ts";
import type { Blocked, Intended } from "./lower.ts";
import { datedFailure, modelStatusOf, withLastWords } from "./model-status.ts";
import type { ModelSeen, ServiceSeen } from "./observe.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;
export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: Note[];
}

interface Around {
  readonly seen: ServiceSeen;
  readonly options: OmeOptions;
  readonly now: Instant;
}

const conditionOf = { engine: "EngineReady", decoder: "DecoderReady", router: "RouterReady" } as const;
const say = (
  type: ServiceCondition,
  status: "True" | "False" | "Unknown",
  { reason, message }: { reason: string; message: string },
): DecidedCondition => ({ type, status, reason, message });

/** What can be said of a service that is being made or runs. */
export function raiseServing(service: InferenceService, plan: Intended, around: Around): Raised {
  const { seen, options, now } = around;
  const states = plan.components.map((component) => stateOf(component, seen, service.metadata.namespace));
  const [failure] = states.flatMap(({ trouble, isReady, component }) =>
    trouble === undefined || isReady ? [] : [{ trouble, component }],
  );
  const isReady = states.every((state) => state.isReady);
  const port = plan.entry.address.ports[0]?.port ?? 8080;
  const ingress = ingressOf(options, isReady);
  const conditions = [
    readyOf(states, ingress),
    ingress,
    ...states.map(({ condition }) => condition),
    modelCondition(plan.model),
    say("RuntimeResolved", "True", { reason: "RuntimeSelected", message: plan.selection.message }),
  ];
  const isUp = isReady && ingress.status === "True";
  const status: ServiceStatus = {
    ...finish(service, conditions),
    ...(isUp ? { url: urlOf(service, port, options), address: { url: addressOf(service, port) } } : {}),
    components: Object.fromEntries(states.map(({ component, shown }) => [component, shown])),
    modelStatus: modelStatusOf(service, { plan, seen, failure: failure?.trouble, isReady, now }),
  };
  const wasReady = service.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  const notes: Note[] = plan.warnings.map((message) => ({ type: "Warning", reason: "SpecNotCarriedOut", message }));
  if (isUp) notes.push({ type: "Normal", reason: "InferenceServiceReady", message: "All components answer" });
  else if (wasReady)
    notes.push({ type: "Warning", reason: "InferenceServiceNotReady", message: messageOf(conditions) });
  if (failure !== undefined) {
    const message = `${failure.component}: ${withLastWords(failure.trouble)}`;
    notes.push({ type: "Warning", reason: "ComponentFailed", message });
  }
  return { status, notes };
}

interface ComponentState {
  readonly component: ComponentName;
  readonly isReady: boolean;
  readonly condition: DecidedCondition;
  readonly trouble?: Trouble | undefined;
  readonly shown: NonNullable<ServiceStatus["components"]>[string];
}

function stateOf(
  { name, workload, address }: ComponentPlan,
  seen: ServiceSeen,
  namespace: string | undefined,
): ComponentState {
  const fact = seen.deployments[name];
  const live = fact.is === "known" ? fact.value : undefined;
  const type = conditionOf[name];
  const trouble = findTrouble(seen.pods[name].filter(({ isReady }) => !isReady));
  const revision = live?.revision === undefined ? {} : { latestCreatedRevision: live.revision };
  const state = { component: name, trouble };
  if (workload.replicas === 0) {
    const message = "Asleep until a request comes";
    return { ...state, isReady: true, condition: say(type, "True", { reason: "Idle", message }), shown: revision };
  }
  const { available } = live ?? {};
  if (available?.status === "True") {
    const message = available.message || "Pods answer";
    const url = `http://${address.name}.${namespace}.svc.cluster.local:${address.ports[0]?.port ?? 8080}`;
    const condition = say(type, "True", { reason: "MinimumReplicasAvailable", message });
    return { ...state, isReady: true, condition, shown: { ...revision, url } };
  }
  const found =
    trouble !== undefined
      ? { reason: "ComponentFailed", message: withLastWords(trouble) }
      : available === undefined
        ? { reason: "Initializing", message: "The Deployment has not said yet whether its pods answer" }
        : { reason: "MinimumReplicasUnavailable", message: available.message };
  const status = available === undefined && trouble === undefined ? "Unknown" : "False";
  return { ...state, isReady: false, condition: say(type, status, found), shown: revision };
}

function ingressOf({ ingress }: OmeOptions, isReady: boolean): DecidedCondition {
  if (ingress.strategy === "none") {
    const message = "There is no route; the Service of the same name is the address";
    return say("IngressReady", "True", { reason: "IngressDisabled", message });
  }
  return isReady
    ? say("IngressReady", "True", { reason: "RouteCreated", message: "The route leads to the service" })
    : say("IngressReady", "False", { reason: "ComponentNotReady", message: "A component does not answer yet" });
}

/** All components and the way in. */
function readyOf(states: readonly ComponentState[], ingress: DecidedCondition): DecidedCondition {
  const parts = [...states.map(({ condition }) => condition), ingress];
  const bad = parts.find(({ status }) => status === "False") ?? parts.find(({ status }) => status !== "True");
  if (bad === undefined) return say("Ready", "True", { reason: "Ready", message: "All components answer" });
  return say("Ready", bad.status, { reason: bad.reason, message: bad.message });
}

function modelCondition({ name, state, nodesReady, nodesFailed, place }: ModelSeen): DecidedCondition {
  if (state === "Ready") {
    const where = place.is === "claim" ? `in claim ${place.claim}` : `on ${nodesReady.join(", ")}`;
    return say("ModelReady", "True", { reason: "ModelReady", message: `Model ${name} is ${where}` });
  }
  if (state === "Failed") {
    const message = `Model ${name} failed${nodesFailed.length === 0 ? "" : ` on ${nodesFailed.join(", ")}`}; its events tell why`;
    return say("ModelReady", "False", { reason: "ModelFailed", message });
  }
  const message = `No node holds model ${name} yet; pods wait for one that does`;
  return say("ModelReady", "False", { reason: "ModelNotReady", message });
}

/** What can be said when nothing could be planned; what runs goes on running. */
export function raiseBlocked(service: InferenceService, blocked: Blocked, { seen, now }: Around): Raised {
  const { how, reason, note, message, model, selection } = blocked;
  const isWaiting = how === "waits";
  const conditions = [
    say("Ready", isWaiting ? "Unknown" : "False", { reason: isWaiting ? "Waiting" : "InvalidSpec", message }),
    ...componentNames.map((name) => liveCondition(name, seen)),
    missingModel(blocked) ?? (model === undefined ? undefined : modelCondition(model)),
    selection === undefined
      ? undefined
      : say("RuntimeResolved", isWaiting ? "Unknown" : "False", {
          reason: "RuntimeUnresolved",
          message: selection.message,
        }),
  ].filter((one): one is DecidedCondition => one !== undefined);
  const { url, address, components, modelStatus } = service.status ?? {};
  const active = modelStatus?.modelRevisionStates?.activeModelState ?? "Pending";
  const status: ServiceStatus = {
    ...finish(service, conditions),
    ...(url === undefined ? {} : { url }),
    ...(address === undefined ? {} : { address }),
    ...(components === undefined ? {} : { components }),
    modelStatus: {
      transitionStatus: isWaiting ? "InProgress" : "InvalidSpec",
      modelRevisionStates: { activeModelState: active, targetModelState: isWaiting ? "Pending" : "FailedToLoad" },
      lastFailureInfo: datedFailure(service, { location: service.metadata.name ?? "", reason, message }, now),
    },
  };
  // That a model is on its way is no news.
  const notes: Note[] = reason === "BaseModelNotReady" ? [] : [{ type: "Warning", reason: note, message }];
  return { status, notes };
}

/** How a component does that runs on although nothing can be planned for it. */
function liveCondition(name: ComponentName, { deployments }: ServiceSeen): DecidedCondition | undefined {
  const fact = deployments[name];
  const available = fact.is === "known" ? fact.value.available : undefined;
  if (available === undefined) return undefined;
  const isUp = available.status === "True";
  const reason = isUp ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable";
  return say(conditionOf[name], isUp ? "True" : "False", { reason, message: available.message });
}

function missingModel({ reason, message, model }: Blocked): DecidedCondition | undefined {
  if (reason === "BaseModelNotFound") return say("ModelReady", "False", { reason: "ModelNotFound", message });
  if (reason === "BaseModelDisabled" && model !== undefined)
    return say("ModelReady", "False", { reason: "ModelDisabled", message });
  return undefined;
}

/** A service without pods: it has an address, and that is all. */
export function raiseVirtual(service: InferenceService): Raised {
  const { name, namespace } = service.metadata;
  const url = `http://${name}.${namespace}.svc.cluster.local`;
  const message = "Somebody else answers at the address";
  const conditions = [say("Ready", "True", { reason: "VirtualDeployment", message })];
  const status = { ...finish(service, conditions), url, address: { url }, components: { predictor: { url } } };
  return { status, notes: [] };
}

const messageOf = (conditions: readonly DecidedCondition[]): string => conditions[0]?.message ?? "";

function finish({ metadata }: InferenceService, conditions: readonly DecidedCondition[]): ServiceStatus {
  const { generation } = metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: conditions.map((one) =>
      generation === undefined ? one : { ...one, observedGeneration: generation },
    ) as NonNullable<ServiceStatus["conditions"]>,
  };
}
