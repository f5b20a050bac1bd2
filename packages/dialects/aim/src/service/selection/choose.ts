import type { Choice } from "@trivium/domain";
import { namedChoice } from "@trivium/engines";
import { apiVersionOf } from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { bareKind } from "../../bare-kind.ts";
import { AIMModel } from "../../kinds/model.ts";
import { AIMServiceTemplate } from "../../kinds/service-template.ts";
import { labels } from "../../labels.ts";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";
import { type Outcome, outcome } from "../health/outcome.ts";
import type { Service } from "../names/names.ts";
import type { ObservedModel, ObservedService, ObservedTemplate } from "../observed/observed-service.ts";
import { chooseModel } from "./choose-model.ts";
import { chooseTemplate } from "./choose-template.ts";
import { derivedTemplate, derivedTemplateName, equalTemplate, hasOverrides } from "./derived-template.ts";
import type { Matching } from "./matching.ts";
import { ownerPatch } from "./owner-patch.ts";
import { modelNameOf } from "./template-facts.ts";

/** Which model and which template it will be, as far as that is settled. */
export interface Selected {
  readonly model?: ObservedModel;
  readonly template?: ObservedTemplate;
  /** Why this template, and what kept every other one from it. */
  readonly choice: Choice;
  /** The same as the API reports it. */
  readonly matching?: Matching;
  readonly outcome?: Outcome;
  readonly children: readonly Desired[];
  readonly patches: readonly Patch[];
  /** A setting that has no effect, without stopping anything. */
  readonly remark?: string;
}

interface ChoiceInput {
  readonly service: Service;
  readonly observed: ObservedService;
  readonly settings: Settings;
  readonly options: AimOptions;
}

const none: Choice = { of: AIMServiceTemplate.kind, because: "the model is not known yet", candidates: [] };
const nothing = { choice: none, children: [], patches: [] } as const;
const byField = (name: string, field: string): Choice => namedChoice(AIMServiceTemplate.kind, name, field);

export function choose(input: ChoiceInput): Selected {
  const { service, observed, settings, options } = input;
  const models = observed.models.is === "known" ? observed.models.value : [];
  const chosen = chooseModel({ service, models, settings, options });
  if (chosen.is === "failed") return { ...nothing, outcome: outcome("Failed", chosen.reason, chosen.message) };
  if (chosen.is === "missing") {
    const isNamed = observed.template?.is === "known";
    const of = isNamed
      ? outcome("Degraded", "ImageNotFound", chosen.message)
      : outcome("Pending", "ModelNotFound", chosen.message);
    return { ...nothing, outcome: of };
  }
  if (chosen.is === "made")
    return { ...nothing, children: [chosen.child], outcome: outcome("Pending", "ModelPending", chosen.message) };
  const { model } = chosen;
  const isOurs = service.spec.model?.custom !== undefined && model.scope === "Namespace";
  const patches = isOurs ? ownerPatch(service, AIMModel, model) : loginPatch(service, model);
  const choice = chooseFor(input, model);
  return { ...choice, model, patches: [...patches, ...choice.patches] };
}

/** A login that is named later goes to the model that was made for the service, which asks the registry. */
function loginPatch(
  { metadata, spec }: Service,
  { name, scope, isMadeForServices, spec: model }: ObservedModel,
): Patch[] {
  if (spec.model?.image === undefined || isMadeForServices !== true || scope !== "Namespace") return [];
  const has = new Set((model.imagePullSecrets ?? []).map((one) => one.name));
  const isMissing = (spec.imagePullSecrets ?? []).some((one) => !has.has(one.name));
  const account = model.serviceAccountName || spec.serviceAccountName;
  if (!isMissing && (account ?? "") === (model.serviceAccountName ?? "")) return [];
  const object = {
    apiVersion: apiVersionOf(AIMModel),
    kind: AIMModel.kind,
    metadata: { name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) },
    spec: {
      imagePullSecrets: unionSecrets(model.imagePullSecrets, spec.imagePullSecrets),
      ...(account ? { serviceAccountName: account } : {}),
    },
  };
  return [{ patch: "fields", kind: bareKind(AIMModel), object }];
}

function chooseFor(input: ChoiceInput, model: ObservedModel): Selected {
  const { service, observed } = input;
  if (observed.template !== undefined) return chooseNamed(input, model, observed.template);
  const { usual } = observed;
  if (usual?.is === "known" && modelNameOf(usual.value) === model.name) {
    const field = `spec.defaultServiceTemplate of ${model.kind} ${model.name}`;
    return withOverrides(input, usual.value, { choice: byField(usual.value.name, field) });
  }
  const unready = unreadyModel(model);
  if (unready !== undefined) return { ...nothing, outcome: unready };
  const candidates = observed.candidates.filter(({ labels: of }) => of[labels.derivedTemplate] !== "true");
  const found = chooseTemplate({ service, model, candidates });
  const { matching, choice } = found;
  const rest = { matching, choice };
  const why = usual?.is === "known" ? "belongs to another model" : "was not found";
  const dangling = `Default template ${model.spec.defaultServiceTemplate} of ${model.kind} ${model.name} ${why}, so it is ignored`;
  const remark = usual === undefined ? {} : { remark: dangling };
  switch (found.is) {
    case "failed":
      return { ...nothing, ...rest, ...remark, outcome: outcome("Failed", found.reason, found.message) };
    case "waiting":
      return { ...nothing, ...rest, ...remark, outcome: outcome("Pending", "TemplateNotAvailable", found.message) };
    case "chosen":
      if (found.fit === "unchanged") return { ...nothing, ...rest, ...remark, template: found.template };
      return { ...withOverrides(input, found.template, rest), ...remark };
  }
}

/** A template that is named, or that was chosen before and is kept. */
function chooseNamed(
  input: ChoiceInput,
  model: ObservedModel,
  fact: NonNullable<ObservedService["template"]>,
): Selected {
  const { service, observed } = input;
  const name = service.spec.templateRef ?? service.spec.template?.name ?? "";
  if (fact.is !== "known") {
    const message = `AIMServiceTemplate or AIMClusterServiceTemplate ${name} not found; create it, or change ${templateFieldOf(service)}`;
    return { ...nothing, outcome: outcome("Degraded", "TemplateNotFound", message) };
  }
  const template = fact.value;
  if (modelNameOf(template) !== model.name) {
    const message = `Template ${template.name} belongs to model ${modelNameOf(template)}, but the service uses model ${model.name}; use a template of model ${model.name}`;
    return { ...nothing, outcome: outcome("Failed", "TemplateModelMismatch", message) };
  }
  const isKept = template.name !== name;
  const field = templateFieldOf(service);
  const choice: Choice = isKept
    ? { ...byField(template.name, field), because: "already in use" }
    : byField(template.name, field);
  const before = service.status?.templateMatching;
  const matching = before === undefined || name !== "" ? {} : { matching: before };
  if (isKept || !hasOverrides(service))
    return { choice, patches: ownPatch(service, template), children: [], template, ...matching };
  return withOverrides({ ...input, observed }, template, { choice });
}

/** The spelling that the service uses. */
const templateFieldOf = ({ spec }: Service): string =>
  spec.templateRef === undefined ? "spec.template.name" : "spec.templateRef";

function withOverrides(
  { service, observed, settings }: ChoiceInput,
  base: ObservedTemplate,
  rest: Pick<Selected, "choice" | "matching">,
): Selected {
  if (!hasOverrides(service)) return { ...nothing, ...rest, template: base };
  const name = derivedTemplateName(base.name, service.spec.overrides ?? {});
  const derived = observed.candidates.find((one) => one.name === name && one.scope === "Namespace");
  const equal = derived ?? equalTemplate(service, base, observed.candidates);
  if (equal !== undefined) return { ...rest, children: [], patches: ownPatch(service, equal), template: equal };
  const message = `Creating AIMServiceTemplate ${name} from ${base.name} with spec.overrides; wait until its discovery has finished`;
  return {
    ...rest,
    patches: [],
    children: [derivedTemplate(service, base, settings)],
    outcome: outcome("Pending", "TemplateNotFound", message),
  };
}

/** Derived templates go with the last service that uses them. */
function ownPatch(service: Service, template: ObservedTemplate): Patch[] {
  return template.labels[labels.derivedTemplate] === "true" ? ownerPatch(service, AIMServiceTemplate, template) : [];
}

function unreadyModel({ kind, name, status }: ObservedModel): Outcome | undefined {
  const state = status?.status;
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  const message = `${kind} ${name} is ${state ?? "Pending"}${why ? `: ${why}` : "; check its conditions"}`;
  switch (state) {
    case "Ready":
      return undefined;
    case "Failed":
      return outcome("Failed", "ModelFailed", message);
    case "Degraded":
      return outcome("Degraded", "ModelDegraded", message);
    case "Progressing":
      return outcome("Pending", "ModelProgressing", message);
    case "NotAvailable":
      // The model reports which template the cluster has no hardware for, or which model takes its place.
      return outcome("Pending", "ModelNotReady", why || message);
    default:
      return outcome("Pending", "ModelPending", message);
  }
}
