import type { HealthReport, MemoryFit, PlannedRole } from "@trivium/domain";
import { untilFailure } from "@trivium/engines";
import { type DecidedCondition, isConditionTrue } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Millis } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import { modelAnnotation, runtimeAnnotation } from "../names.ts";
import { stateOf } from "./health/component-state.ts";
import type { ComponentState } from "./health/state.ts";
import type { Context, Intended } from "./lower.ts";
import { type ObservedService, runtimeOf } from "./observed/service.ts";
import { type ComponentName, componentNames } from "./roles/component.ts";
import type { ComponentPlan } from "./roles/component-plan.ts";
import type { Blocked } from "./selection/blocked.ts";
import { fitConditions } from "./status/fit.ts";
import { modelCondition } from "./status/model-condition.ts";
import { datedFailure, describeFailure, modelStatusOf } from "./status/model-status.ts";
import { conditionOf, say } from "./status/say.ts";
import { stateOfEntry } from "./traffic/index.ts";

export type ServiceStatus = NonNullable<InferenceService["status"]>;
export interface Raised {
  readonly status: ServiceStatus;
  readonly notes: Note[];
  /** When time alone changes what is reported. */
  readonly recheckIn?: Millis;
}

/** What was lowered, and what came of it. */
export interface PlannedService {
  readonly plan: Intended;
  readonly roles: readonly PlannedRole[];
  readonly fit?: MemoryFit | undefined;
}

/** The status of a service that is being created or runs. */
export function raiseServing(
  service: InferenceService,
  { plan, roles, fit }: PlannedService,
  { observed, now }: Context,
): Raised {
  const model = modelCondition(plan.model);
  const states = plan.components.map((component) =>
    withCause(stateOf(component, { service, observed, health: healthOf(component, roles) }), model),
  );
  const [failure] = states.flatMap(({ failure, isReady, component }) =>
    failure === undefined || failure.isPassing || isReady ? [] : [{ failure, component }],
  );
  const isReady = states.every((state) => state.isReady);
  const { components, entry, way } = plan;
  const parts = { components, entry };
  const reached = stateOfEntry(service, { parts, plan: way, observed: observed.entry, areComponentsReady: isReady });
  const ingress = say("IngressReady", reached.status, reached);
  const conditions = [
    readyOf(states, ingress),
    ingress,
    ...states.map(({ condition }) => condition),
    ...states.flatMap(({ details = [] }) => details),
    ...unmetConditions(plan),
    model,
    say("RuntimeResolved", "True", { reason: "RuntimeSelected", message: plan.selection.message }),
    ...fitConditions(service, fit),
  ];
  const isUp = isReady && ingress.status === "True";
  const status: ServiceStatus = {
    ...finish(service, conditions),
    ...shownChoice(service, plan.selection.runtime.name),
    ...(isUp ? { url: reached.url, address: { url: reached.address } } : {}),
    ...componentsOf(states),
    modelStatus: modelStatusOf(service, {
      plan,
      observed,
      failure,
      waitsFor: states.some(({ waitsForModel }) => waitsForModel) ? model.message : undefined,
      isReady,
      now,
    }),
  };
  const wasReady = service.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  const notes: Note[] = [...plan.warnings, ...plan.ignored].map((message) => ({
    type: "Warning",
    reason: "SpecNotCarriedOut",
    message,
  }));
  const faults = observed.configuration?.is === "known" ? Object.values(observed.configuration.value.faults) : [];
  for (const message of faults) notes.push({ type: "Warning", reason: "InvalidConfiguration", message });
  if (isUp) notes.push({ type: "Normal", reason: "InferenceServiceReady", message: "All components are ready" });
  else if (wasReady)
    notes.push({ type: "Warning", reason: "InferenceServiceNotReady", message: messageOf(conditions) });
  if (failure !== undefined) {
    const message = `${failure.component}: ${describeFailure(failure.component, failure.failure)}`;
    notes.push({ type: "Warning", reason: "ComponentFailed", message });
  }
  const waits = states.flatMap(({ isReady: isUp, failure }) => (isUp ? [] : (untilFailure(failure, now) ?? [])));
  return { status, notes, ...(waits.length === 0 ? {} : { recheckIn: Math.min(...waits) }) };
}

const healthOf = ({ name }: ComponentPlan, roles: readonly PlannedRole[]): HealthReport | undefined =>
  roles.find((role) => role.name === name)?.health;

/** Only those of which something is to be shown: an entry that becomes empty, a server turns into null and then refuses. */
function componentsOf(states: readonly ComponentState[]): Pick<ServiceStatus, "components"> {
  const shown = states.filter((state) => Object.keys(state.shown).length > 0);
  if (shown.length === 0) return {};
  return { components: Object.fromEntries(shown.map((state) => [state.component, state.shown])) };
}

/** Pods that no node takes because none holds the files wait for those, whatever the scheduler says. */
function withCause(state: ComponentState, model: DecidedCondition): ComponentState {
  const { isReady, component, failure, condition } = state;
  const mayWait = !isReady && component !== "router" && (failure === undefined || failure.kind === "unschedulable");
  if (!mayWait || model.status === "True") return state;
  const { reason, message } = model;
  const status = reason === "ModelFailed" ? "False" : condition.status;
  return { ...state, failure: undefined, waitsForModel: true, condition: { ...condition, status, reason, message } };
}

/** What was wished for and is not done; the components may serve all the same. */
function unmetConditions({ components, ignored }: Intended): DecidedCondition[] {
  const unscaled = components.flatMap((one) =>
    one.mode !== "Serverless" && one.scaling.is === "unavailable" ? [one.scaling.why] : [],
  );
  const untried = components.flatMap((one) => one.untried ?? []);
  return [
    ...(unscaled.length === 0
      ? []
      : [say("ScalingReady", "False", { reason: "NotScaled", message: unscaled.join("; ") })]),
    ...(untried.length === 0
      ? []
      : [say("CanaryUnsupported", "True", { reason: "RolledOutAtOnce", message: untried.join("; ") })]),
    ...(ignored.length === 0
      ? []
      : [say("SpecAccepted", "False", { reason: "FieldsIgnored", message: ignored.join(". ") })]),
  ];
}

/** All components and the way in, which waits for them: so they are the cause before it is. */
function readyOf(states: readonly ComponentState[], ingress: DecidedCondition): DecidedCondition {
  const own = states.map(({ condition }) => condition);
  const parts = own.every(({ status }) => status === "True") ? [ingress] : own;
  const bad = parts.find(({ status }) => status === "False") ?? parts.find(({ status }) => status !== "True");
  if (bad === undefined) return say("Ready", "True", { reason: "Ready", message: "All components are ready" });
  return say("Ready", bad.status, { reason: bad.reason, message: bad.message });
}

/** What can be said when nothing could be planned; what runs goes on running. */
export function raiseBlocked(service: InferenceService, blocked: Blocked, { observed, now }: Context): Raised {
  const { how, reason, note, message, model } = blocked;
  const isWaiting = how === "waits";
  const live = componentNames.flatMap((name) => liveCondition(name, observed) ?? []);
  const conditions = [
    servesWithoutModel(service, blocked, live) ?? blockedCondition(blocked),
    ...live,
    missingModel(blocked) ?? (model === undefined ? undefined : modelCondition(model)),
    resolvedCondition(blocked),
    ...fitConditions(service, blocked.fit),
  ].filter((one): one is DecidedCondition => one !== undefined);
  const { url, address, components, modelStatus } = service.status ?? {};
  const active = modelStatus?.modelRevisionStates?.activeModelState ?? "Pending";
  const status: ServiceStatus = {
    ...finish(service, conditions),
    ...shownChoice(service, blockedRuntime(service, blocked, observed)),
    ...(url === undefined ? {} : { url }),
    ...(address === undefined ? {} : { address }),
    ...(components === undefined ? {} : { components }),
    modelStatus: {
      transitionStatus: isWaiting ? "InProgress" : note === "DoesNotFit" ? "BlockedByFailedLoad" : "InvalidSpec",
      modelRevisionStates: { activeModelState: active, targetModelState: isWaiting ? "Pending" : "FailedToLoad" },
      lastFailureInfo: datedFailure(service, { location: service.metadata.name ?? "", reason, message }, now),
    },
  };
  // That a model is on its way is no news.
  const notes: Note[] = reason === "BaseModelNotReady" ? [] : [{ type: "Warning", reason: note, message }];
  return { status, notes };
}

/** Model and runtime, also in the older form of a service and where the choice was left to us: columns of `kubectl get` show them. */
function shownChoice({ spec }: InferenceService, runtime: string | undefined): Pick<ServiceStatus, "annotations"> {
  const model = spec.model?.name;
  const annotations = {
    ...(model ? { [modelAnnotation]: model } : {}),
    ...(runtime ? { [runtimeAnnotation]: runtime } : {}),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** The one that was found, or runs on, or is asked for. */
function blockedRuntime(
  { spec }: InferenceService,
  { selection }: Blocked,
  observed: ObservedService,
): string | undefined {
  if (selection?.is === "selected") return selection.runtime.name;
  return runtimeOf(observed)?.name ?? spec.runtime?.name;
}

/** Pods that were ready for this very spec serve on when the model object is deleted; only new ones need it. */
function servesWithoutModel(
  { metadata, status }: InferenceService,
  { reason, message }: Blocked,
  live: readonly DecidedCondition[],
): DecidedCondition | undefined {
  const wasReady = isConditionTrue(status?.conditions, "Ready") && status?.observedGeneration === metadata.generation;
  const isUp = live.length > 0 && live.every((one) => one.status === "True");
  if (reason !== "BaseModelNotFound" || !wasReady || !isUp) return undefined;
  return say("Ready", "True", { reason: "ServesWithoutModel", message: `Pods still serve, but ${message}` });
}

/** The cause, as the column REASON shows it. What is retried automatically has failed all the same until it works. */
function blockedCondition({ how, reason, note, message, model }: Blocked): DecidedCondition {
  if (note === "DoesNotFit") return say("Ready", "False", { reason: note, message });
  const hasFailed = reason === "BaseModelNotReady" && model?.state === "Failed";
  if (hasFailed || reason === "FineTuneWeightLoadFailed")
    return say("Ready", "False", { reason: "ModelFailed", message });
  if (how === "fails") return say("Ready", "False", { reason: "InvalidSpec", message });
  if (reason === "BaseModelNotFound") return say("Ready", "False", { reason: "ModelNotFound", message });
  if (reason === "FineTunedWeightsNotFound")
    return say("Ready", "False", { reason: "FineTunedWeightNotFound", message });
  return say("Ready", "Unknown", { reason: "ModelNotReady", message });
}

/** How a component does that runs on although nothing can be planned for it. */
function liveCondition(name: ComponentName, { deployments, groups }: ObservedService): DecidedCondition | undefined {
  const [fact] = [deployments[name], groups?.[name]].filter((one) => one?.is === "known");
  const available = fact?.is === "known" ? fact.value.available : undefined;
  if (available === undefined) return undefined;
  const isUp = available.status === "True";
  const reason = isUp ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable";
  return say(conditionOf[name], isUp ? "True" : "False", { reason, message: available.message });
}

/** A runtime may be found although something else stands in the way. */
function resolvedCondition({ how, selection }: Blocked): DecidedCondition | undefined {
  if (selection === undefined) return undefined;
  const { message } = selection;
  if (selection.is === "selected") return say("RuntimeResolved", "True", { reason: "RuntimeSelected", message });
  return say("RuntimeResolved", how === "waits" ? "Unknown" : "False", { reason: "RuntimeUnresolved", message });
}

function missingModel({ reason, message, model }: Blocked): DecidedCondition | undefined {
  if (reason === "BaseModelNotFound") return say("ModelReady", "False", { reason: "ModelNotFound", message });
  if (reason === "FineTuneWeightLoadFailed") return say("ModelReady", "False", { reason: "ModelFailed", message });
  if (reason === "BaseModelDisabled" && model !== undefined)
    return say("ModelReady", "False", { reason: "ModelDisabled", message });
  return undefined;
}

/** A service without pods: it has an address, and that is all. */
export function raiseVirtual(service: InferenceService): Raised {
  const { name, namespace } = service.metadata;
  const url = `http://${name}.${namespace}.svc.cluster.local`;
  const message = "The address is served by an external deployment";
  const conditions = [say("Ready", "True", { reason: "VirtualDeployment", message })];
  const status = {
    ...finish(service, conditions),
    ...shownChoice(service, undefined),
    url,
    address: { url },
    components: { predictor: { url, restURL: url } },
  };
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
