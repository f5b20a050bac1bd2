import { hasUnresolved } from "@trivium/reconcile";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import type { FailureReason, ServiceNote } from "../reasons.ts";
import type { RuntimeName, RuntimeSelection } from "../selection/index.ts";
import { mountWith, resolveWeights } from "./adapters/index.ts";
import { installedApisOf } from "./observed/installed-apis.ts";
import type { ObservedModel } from "./observed/model.ts";
import type { ObservedService } from "./observed/service.ts";
import { mergeComponents } from "./pod/merge.ts";
import type { ComponentPlan } from "./roles/component-plan.ts";
import { parseMode, withoutKnative } from "./roles/deployment-mode.ts";
import { planComponents } from "./roles/plan-components.ts";
import { describeReferenceFault, faultsOfReferences, type ReferenceFault } from "./selection/references.ts";
import { selectForService } from "./selection/select-for-service.ts";
import { findHostMisfit } from "./sizing/host-fit.ts";
import { modelNotReady } from "./status/model-condition.ts";
import { type EntryPlan, planEntry, timeoutWarnings } from "./traffic/index.ts";
import { planMount } from "./weights/model-mount.ts";

/** What a service comes to. */
export type LoweredService =
  /** A fact has not come yet. */
  | { readonly is: "unresolved" }
  /** Only an address; nothing of ours runs. */
  | { readonly is: "virtual" }
  /** Nothing can be made yet, or ever, as things are; what runs stays. */
  | Blocked
  | Intended;

export interface Blocked {
  readonly is: "blocked";
  /** `waits` passes by itself; `fails` needs a person. */
  readonly how: "waits" | "fails";
  readonly reason: FailureReason;
  readonly note: ServiceNote;
  readonly message: string;
  readonly model?: ObservedModel | undefined;
  readonly selection?: RuntimeSelection | undefined;
}

export interface Intended {
  readonly is: "intended";
  readonly model: ObservedModel;
  readonly selection: Extract<RuntimeSelection, { is: "selected" }>;
  readonly components: readonly ComponentPlan[];
  /** Where requests come in. */
  readonly entry: ComponentPlan;
  /** How they come in. */
  readonly way: EntryPlan;
  readonly warnings: readonly string[];
}

export function lowerService(
  service: InferenceService,
  observed: ObservedService,
  options: OmeOptions,
): LoweredService {
  const mode = parseMode(service.metadata.annotations);
  if (mode === "VirtualDeployment") return { is: "virtual" };
  if (hasUnresolved(observed)) return { is: "unresolved" };
  if (mode === "Serverless" && !installedApisOf(observed).hasKnative)
    return fails("InvalidPredictorSpec", "ServerlessModeRejected", withoutKnative);
  const [unreferable] = faultsOfReferences(service);
  if (unreferable !== undefined) return blockedReference(unreferable);
  const found = usableModel(service, observed);
  if (found.is !== "known") return found;
  const model = withWeights(service, found.value, observed);
  if (model.is !== "known") return model;
  const selection = selectForService(service, {
    model: { name: model.value.name, traits: model.value.traits },
    candidates: observed.runtimes,
    current: runtimeOf(observed),
  });
  if (selection.is === "failed") return selectionBlock(model.value, selection);
  return lowerSelected(service, { model: model.value, selection, observed, options });
}

const fails = (reason: FailureReason, note: ServiceNote, message: string): Blocked => ({
  is: "blocked",
  how: "fails",
  reason,
  note,
  message,
});

function blockedReference(fault: ReferenceFault): Blocked {
  const note = fault.field.startsWith("spec.model") ? "ModelReconcileError" : "RuntimeValidationError";
  return fails("InvalidPredictorSpec", note, describeReferenceFault(fault));
}

function usableModel(
  { spec }: InferenceService,
  { model }: ObservedService,
): { readonly is: "known"; readonly value: ObservedModel } | Blocked {
  const name = spec.model?.name;
  if (!name) {
    const message = "A model is required; set spec.model.name";
    return fails("BaseModelNotFound", "ModelReconcileError", message);
  }
  if (model.is !== "known") {
    const message = `Model ${name} not found in this namespace or the cluster; create it, or change spec.model`;
    return { ...fails("BaseModelNotFound", "ModelReconcileError", message), how: "waits" };
  }
  if (model.value.isDisabled) {
    const message = `Model ${name} is disabled; enable it, or change spec.model`;
    return { ...fails("BaseModelDisabled", "ModelReconcileError", message), model: model.value };
  }
  return { is: "known", value: model.value };
}

/** The model with the weights that are served on top of it, where there are any. */
function withWeights(
  { metadata }: InferenceService,
  model: ObservedModel,
  { weights = [] }: ObservedService,
): { readonly is: "known"; readonly value: ObservedModel } | Blocked {
  const resolved = resolveWeights(weights, { model, namespace: metadata.namespace });
  if (resolved.is === "none") return { is: "known", value: model };
  if (resolved.is === "resolved") return { is: "known", value: { ...model, weights: resolved.served } };
  return { ...resolved, note: "ModelReconcileError", model };
}

/** The runtime that the engine runs with, as whatever it runs. */
export function runtimeOf({ deployments, groups, revisions }: ObservedService): RuntimeName | undefined {
  const live = [deployments.engine, groups?.engine, revisions?.engine].find((fact) => fact?.is === "known");
  return live?.is === "known" ? live.value.runtime : undefined;
}

const faultWords = {
  ModelInvalid: ["InvalidPredictorSpec", "RuntimeSelectionError"],
  RuntimeNotFound: ["RuntimeNotRecognized", "RuntimeFetchError"],
  RuntimeDisabled: ["RuntimeDisabled", "RuntimeValidationError"],
  RuntimeIncompatible: ["InvalidPredictorSpec", "RuntimeValidationError"],
  NoRuntimeFound: ["NoSupportingRuntime", "RuntimeSelectionError"],
} as const;

/**
 * As long as the files of a model have not told what it is, no runtime can be said to be wrong for it: what keeps the files away is the cause, and that
 * nobody knows its format a consequence.
 */
function selectionBlock(model: ObservedModel, selection: Extract<RuntimeSelection, { is: "failed" }>): Blocked {
  const { fault, message } = selection;
  const mayPass = fault !== "RuntimeNotFound" && fault !== "RuntimeDisabled";
  if (mayPass && model.state !== "Ready") {
    const { message: cause } = modelNotReady(model);
    const why = fault === "ModelInvalid" ? cause : `${cause}. Currently: ${message}`;
    const note = "ModelReconcileError";
    return { is: "blocked", how: "waits", reason: "BaseModelNotReady", note, message: why, model, selection };
  }
  const [reason, note] = faultWords[fault];
  return { ...fails(reason, note, message), model, selection };
}

interface Selected {
  readonly model: ObservedModel;
  readonly selection: Extract<RuntimeSelection, { is: "selected" }>;
  readonly observed: ObservedService;
  readonly options: OmeOptions;
}

function lowerSelected(service: InferenceService, selected: Selected): LoweredService {
  const { model, selection, observed, options } = selected;
  const { runtime } = selection;
  const context = { model, selection };
  const specs = mergeComponents(service, runtime.spec);
  if (specs.engine === undefined) {
    const message = "An engine is required; set spec.engine, or use a runtime with an engineConfig";
    return { ...fails("InvalidPredictorSpec", "DeploymentModeError", message), ...context };
  }
  const mount = mountWith(planMount(model, service.metadata.namespace), model.weights, options);
  if (mount.is === "faulty") return { ...fails("InvalidPredictorSpec", "ModelReconcileError", mount.why), ...context };
  const planned = planComponents({ ...selected, service, specs, runtime, mount });
  if (planned.is === "faulty") return { ...fails(planned.reason, planned.note, planned.why), ...context };
  const { components } = planned;
  const misfit = findHostMisfit({ service, model, components, observed });
  if (misfit !== undefined) return { ...fails("ModelLoadFailed", "DoesNotFit", misfit), ...context };
  const entry = components.find(({ name }) => name === "router") ?? (components[0] as ComponentPlan);
  const configuration = observed.configuration?.is === "known" ? observed.configuration.value : undefined;
  const way = planEntry({ service, parts: { components, entry }, observed: observed.entry, configuration, options });
  const warnings = [
    ...selection.warnings,
    ...components.flatMap((one) => one.warnings),
    ...(way.is === "open" ? way.warnings : []),
    ...timeoutWarnings(components, way),
  ];
  return { is: "intended", model, selection, components, entry, way, warnings };
}
