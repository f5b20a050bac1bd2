import type { HealthReport, MemoryFit, PlannedRole } from "@trivium/domain";
import { standInRemark, untilFailure } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Millis } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import { servingEvents } from "./events.ts";
import { stateOf } from "./health/component-state.ts";
import type { ComponentState } from "./health/state.ts";
import { waitsForModel } from "./health/waits-for-model.ts";
import type { Context, Intended } from "./lower.ts";
import type { ObservedModel } from "./observed/model.ts";
import type { ComponentPlan } from "./roles/component-plan.ts";
import { fitConditions } from "./status/fit.ts";
import { modelCondition } from "./status/model-condition.ts";
import { modelStatusOf } from "./status/model-status.ts";
import { say } from "./status/say.ts";
import { finish, type ServiceStatus, shownChoice } from "./status/service-status.ts";
import { stateOfEntry } from "./traffic/index.ts";

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
  const healths = plan.components.map((component) => healthOf(component, roles));
  const states = plan.components.map((component, at) =>
    withCause(
      stateOf(component, { service, observed, health: healths[at], now, accelerators: plan.accelerators }),
      model,
      plan.model,
    ),
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
    readyOf(states, ingress, standInRemark(healths.find((health) => health?.standIn !== undefined))),
    ingress,
    ...states.map(({ condition }) => condition),
    ...states.flatMap(({ details = [] }) => details),
    ...unmetConditions(plan),
    model,
    say("RuntimeResolved", "True", { reason: "RuntimeSelected", message: plan.selection.message }),
    ...fitConditions(service, { fit, unsized: plan.unsized, isBlocked: false, isServing: isReady }),
  ];
  const isUp = isReady && ingress.status === "True";
  const awaited = states.some(({ waitsForModel }) => waitsForModel) ? model : undefined;
  const status: ServiceStatus = {
    ...finish(service, conditions),
    ...shownChoice(service, { runtime: plan.selection.runtime.name, choice: plan.selection.choice }),
    ...(isUp ? { url: reached.url, address: { url: reached.address } } : {}),
    ...componentsOf(states),
    modelStatus: modelStatusOf(service, {
      plan,
      observed,
      failure,
      waitsFor: awaited?.message,
      isReady,
      now,
    }),
  };
  const notes = servingEvents(service, {
    plan,
    observed,
    failure,
    model: awaited,
    isUp,
    message: messageOf(conditions),
  });
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

/** Pods that wait for the files of the model have the cause that the model reports, whatever the scheduler says. */
function withCause(state: ComponentState, model: DecidedCondition, observed: ObservedModel): ComponentState {
  const { isReady, component, failure, condition } = state;
  if (isReady || component === "router" || model.status === "True" || !waitsForModel(failure, observed)) return state;
  const { reason, message } = model;
  const status = reason === "ModelNotReady" ? condition.status : "False";
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
      : [say("CanaryReady", "False", { reason: "CanaryUnsupported", message: untried.join("; ") })]),
    ...(ignored.length === 0
      ? []
      : [say("SpecAccepted", "False", { reason: "FieldsIgnored", message: ignored.join(". ") })]),
  ];
}

/** All components and the way in, which waits for them: so they are the cause before it is. */
function readyOf(states: readonly ComponentState[], ingress: DecidedCondition, remark: string): DecidedCondition {
  const own = states.map(({ condition }) => condition);
  const parts = own.every(({ status }) => status === "True") ? [ingress] : own;
  const bad = parts.find(({ status }) => status === "False") ?? parts.find(({ status }) => status !== "True");
  if (bad === undefined) return say("Ready", "True", { reason: "Ready", message: `All components are ready${remark}` });
  return say("Ready", bad.status, { reason: bad.reason, message: bad.message });
}

/** A service without pods: it has an address, and that is all. */
export function raiseVirtual(service: InferenceService): Raised {
  const { name, namespace } = service.metadata;
  const url = `http://${name}.${namespace}.svc.cluster.local`;
  const message = "The address is served by an external deployment";
  const conditions = [say("Ready", "True", { reason: "VirtualDeployment", message })];
  const status = {
    ...finish(service, conditions),
    ...shownChoice(service, {}),
    url,
    address: { url },
    components: { predictor: { url, restURL: url } },
  };
  return { status, notes: [] };
}

const messageOf = (conditions: readonly DecidedCondition[]): string => conditions[0]?.message ?? "";
