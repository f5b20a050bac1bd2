import { keepObject } from "@trivium/emitters";
import type { Desired, Reconciler } from "@trivium/reconcile";
import { catalogPaths } from "../field-paths.ts";
import { labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { Model, Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { type RefusedReasons, raiseRefused } from "../refused.ts";
import type { Settings } from "../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../runtime-config/settings/propagate-labels.ts";
import { type Inspection, lowerModel } from "./lower.ts";
import { type ModelScope, modelReads, type ObservedModel, observeModel } from "./observe.ts";
import { raiseModel } from "./raise.ts";
import type { TemplatePlan } from "./templates/template-plan.ts";

const refusedWords: RefusedReasons = {
  paths: catalogPaths,
  state: "Degraded",
  overall: ["Progressing", "Failure", "Degraded"],
};

/**
 * A model becomes templates: one for each way to run it. Those that its spec states go when the spec no longer does; those that its image
 * recommended stay, because services may run on them.
 */
export function modelReconciler(scope: ModelScope, options: AimOptions): Reconciler<Model, ObservedModel> {
  return {
    name: scope.name,
    kind: scope.kind,
    reads: [...modelReads, ...(scope.hiddenBy === undefined ? [] : [scope.hiddenBy])],
    writes: [scope.templates],
    observe: (model, reader) => observeModel(model, reader, { scope, options }),
    decide(model, observed) {
      const intent = lowerModel(model, observed);
      const { status, notes } = raiseModel(model, intent, observed);
      if (intent.is === "shadowed") return { do: "converge", children: [], status, notes };
      if (intent.is !== "planned" || !isClear(intent.inspection)) return { do: "hold", status, notes };
      const wanted = intent.templates.map((plan) =>
        emitTemplate(model, plan, { scope, settings: intent.config.settings }),
      );
      const names = new Set(wanted.map(({ object }) => object.metadata.name));
      const others = observed.templates.filter(({ name, isRecommended }) => isRecommended && !names.has(name));
      return {
        do: "converge",
        children: [...wanted, ...others.map(({ name }) => keepObject(scope.templates, { name }))],
        status,
        notes,
      };
    },
    refused: (model, status, refusals) => raiseRefused(refusedWords, model, status, refusals),
  };
}

/** Whether it is clear which templates there should be. */
const isClear = (inspection: Inspection): boolean =>
  inspection.is !== "dark" && !(inspection.is === "failed" && inspection.fault === "InvalidImageReference");

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
