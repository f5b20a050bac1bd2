import { keepObject } from "@trivium/emitters";
import type { Desired } from "@trivium/reconcile";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { Model, Template } from "../../objects.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import type { ModelIntent } from "../lower.ts";
import type { ModelScope, ObservedModel } from "../observe.ts";
import type { TemplatePlan } from "./template-plan.ts";

/** The templates of a model. Those that its image recommended earlier stay, because services can run on them. */
export function emitTemplates(
  model: Model,
  { templates, config: { settings } }: Extract<ModelIntent, { is: "planned" }>,
  { observed, scope }: { readonly observed: ObservedModel; readonly scope: ModelScope },
): Desired[] {
  const names = new Set(templates.map(({ name }) => name));
  const others = observed.templates.filter(({ name, isRecommended }) => isRecommended && !names.has(name));
  return [
    ...templates.map((plan) => emitTemplate(model, plan, { scope, settings })),
    ...others.map(({ name }) => keepObject(scope.templates, { name })),
  ];
}

function emitTemplate(
  model: Model,
  plan: TemplatePlan,
  { scope, settings }: { scope: ModelScope; settings: Settings },
): Desired {
  const kind = scope.templates;
  const { name = "", labels: parentLabels } = model.metadata;
  const { runtimeConfigName, imagePullSecrets, serviceAccountName } = model.spec;
  const object: Template = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: {
      name: plan.name,
      labels: propagateLabels(settings, parentLabels, { ...plan.labels, [labels.model]: labelValueOf(name) }),
    },
    spec: {
      modelName: name,
      ...plan.spec,
      ...(runtimeConfigName === undefined ? {} : { runtimeConfigName }),
      ...(imagePullSecrets === undefined ? {} : { imagePullSecrets: imagePullSecrets.map((one) => ({ ...one })) }),
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    },
  };
  return { kind, object };
}
