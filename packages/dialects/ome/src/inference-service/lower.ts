import type { Fact } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import { checkNamedRuntime, type Selection, type SelectionRequest, selectRuntime } from "../selection/index.ts";
import type { FailureReason, ServiceNote } from "../words.ts";
import { type ComponentName, componentNames } from "./component.ts";
import { autoscalerOf, type ComponentPlan, planComponent } from "./component-plan.ts";
import { type DeploymentMode, decideModes, parseMode } from "./deployment-mode.ts";
import { mergeComponents } from "./merge.ts";
import { planMount } from "./model-mount.ts";
import type { ModelSeen, ServiceSeen } from "./observe.ts";

/** What a service comes to. */
export type LoweredService =
  /** A fact has not come yet. */
  | { readonly is: "unknown" }
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
  readonly model?: ModelSeen | undefined;
  readonly selection?: Selection | undefined;
}

export interface Intended {
  readonly is: "intended";
  readonly model: ModelSeen;
  readonly selection: Extract<Selection, { is: "selected" }>;
  readonly components: readonly ComponentPlan[];
  /** Where requests come in. */
  readonly entry: ComponentPlan;
  readonly warnings: readonly string[];
}

const unknown = { is: "unknown" } as const;

export function lowerService(service: InferenceService, seen: ServiceSeen, options: OmeOptions): LoweredService {
  const mode = parseMode(service.metadata.annotations);
  if (mode === "VirtualDeployment") return { is: "virtual" };
  if (mode === "Serverless") {
    const message = "Knative is not there: leave out the annotation ome.io/deploymentMode: Serverless";
    return fails("InvalidPredictorSpec", "ServerlessModeRejected", message);
  }
  const facts: Fact<unknown>[] = [seen.model, ...Object.values(seen.deployments)];
  if (facts.some(({ is }) => is === "pending" || is === "unreachable")) return unknown;
  const model = usableModel(service, seen);
  if (model.is !== "known") return model;
  const selection = selectFor(service, model.value, seen);
  if (selection.is === "failed") return selectionBlock(model.value, selection);
  return lowerSelected(service, { model: model.value, selection, seen, options });
}

const fails = (reason: FailureReason, note: ServiceNote, message: string): Blocked => ({
  is: "blocked",
  how: "fails",
  reason,
  note,
  message,
});

function usableModel(
  { spec }: InferenceService,
  { model }: ServiceSeen,
): { readonly is: "known"; readonly value: ModelSeen } | Blocked | typeof unknown {
  const name = spec.model?.name;
  if (!name) {
    const message = "a model is required: name it in spec.model.name";
    return fails("BaseModelNotFound", "ModelReconcileError", message);
  }
  if (model.is === "pending" || model.is === "unreachable") return unknown;
  if (model.is === "absent") {
    const message = `Model ${name} exists neither in this namespace nor for the cluster; create it, or name another in spec.model`;
    return { ...fails("BaseModelNotFound", "ModelReconcileError", message), how: "waits" };
  }
  if (model.value.isDisabled) {
    const message = `Model ${name} is disabled; enable it, or name another in spec.model`;
    return { ...fails("BaseModelDisabled", "ModelReconcileError", message), model: model.value };
  }
  if ((spec.model?.fineTunedWeights?.length ?? 0) > 0) {
    const message = "fineTunedWeights are not served yet; leave them out of spec.model";
    return { ...fails("InvalidPredictorSpec", "MergeSpecsError", message), model: model.value };
  }
  return { is: "known", value: model.value };
}

function selectFor(service: InferenceService, model: ModelSeen, { runtimes, deployments }: ServiceSeen): Selection {
  const { spec, metadata } = service;
  const { engine } = deployments;
  const request: SelectionRequest = {
    model: { name: model.name, traits: model.traits },
    namespace: metadata.namespace ?? "",
    candidates: runtimes,
    acceleratorClasses: acceleratorClassesOf(service),
    protocol: spec.predictor?.model?.protocolVersion,
    current: engine.is === "known" ? engine.value.runtime : undefined,
  };
  const named = spec.runtime?.name;
  return named ? checkNamedRuntime(named, request) : selectRuntime(request);
}

function acceleratorClassesOf({ metadata, spec }: InferenceService): string[] {
  const all = [
    metadata.annotations?.["ome.io/accelerator-class"],
    spec.acceleratorSelector?.acceleratorClass,
    spec.engine?.acceleratorOverride?.acceleratorClass,
    spec.decoder?.acceleratorOverride?.acceleratorClass,
  ];
  return [...new Set(all.filter((name): name is string => name !== undefined && name !== ""))];
}

const faultWords = {
  ModelInvalid: ["InvalidPredictorSpec", "RuntimeSelectionError"],
  RuntimeNotFound: ["RuntimeNotRecognized", "RuntimeFetchError"],
  RuntimeDisabled: ["RuntimeDisabled", "RuntimeValidationError"],
  RuntimeIncompatible: ["InvalidPredictorSpec", "RuntimeValidationError"],
  NoRuntimeFound: ["NoSupportingRuntime", "RuntimeSelectionError"],
} as const;

/** As long as the files of a model have not told what it is, no runtime can be said to be wrong for it. */
function selectionBlock(model: ModelSeen, selection: Extract<Selection, { is: "failed" }>): Blocked {
  const { fault, message } = selection;
  const mayPass = fault !== "RuntimeNotFound" && fault !== "RuntimeDisabled";
  if (mayPass && model.state !== "Ready") {
    const why = `Model ${model.name} is ${model.state ?? "new"}, and what it is may not be known yet: ${message}`;
    const note = "ModelReconcileError";
    return { is: "blocked", how: "waits", reason: "BaseModelNotReady", note, message: why, model, selection };
  }
  const [reason, note] = faultWords[fault];
  return { ...fails(reason, note, message), model, selection };
}

interface Selected {
  readonly model: ModelSeen;
  readonly selection: Extract<Selection, { is: "selected" }>;
  readonly seen: ServiceSeen;
  readonly options: OmeOptions;
}

function lowerSelected(service: InferenceService, { model, selection, seen }: Selected): LoweredService {
  const { runtime } = selection;
  const around = { model, selection };
  const specs = mergeComponents(service, runtime.spec);
  if (specs.engine === undefined) {
    const message = "an engine is required: write spec.engine, or use a runtime that has an engineConfig";
    return { ...fails("InvalidPredictorSpec", "DeploymentModeError", message), ...around };
  }
  const unable = unableMode(decideModes(specs));
  if (unable !== undefined) return { ...fails("InvalidPredictorSpec", "DeploymentModeError", unable), ...around };
  const mount = planMount(model, service.metadata.namespace);
  if (mount.is === "faulty") return { ...fails("InvalidPredictorSpec", "ModelReconcileError", mount.why), ...around };
  const components: ComponentPlan[] = [];
  const warnings = [...selection.warnings];
  for (const component of componentNames) {
    const spec = specs[component];
    if (spec === undefined) continue;
    const fact = seen.deployments[component];
    const live = fact.is === "known" ? fact.value : undefined;
    const planned = planComponent({ service, component, spec, model, mount, runtime, live });
    if (planned.is === "faulty") return { ...fails("InvalidPredictorSpec", "MergeSpecsError", planned.why), ...around };
    components.push(planned.plan);
    const wish = autoscalerOf({ service, spec });
    if (planned.plan.scaling === undefined && wish !== "external")
      warnings.push(
        `${component} is not scaled: ${wish === "hpa" ? `metric ${spec.scaleMetric}` : `class ${wish}`} is not supported yet`,
      );
  }
  const entry = components.find(({ name }) => name === "router") ?? (components[0] as ComponentPlan);
  return { is: "intended", model, selection, components, entry, warnings };
}

/** Deployments are made; groups of nodes are not made yet, and whoever may sleep is put to sleep by the gateway. */
function unableMode(modes: Partial<Record<ComponentName, DeploymentMode>>): string | undefined {
  for (const component of componentNames) {
    const mode = modes[component];
    if (mode === "MultiNode" || mode === "MultiNodeRayVLLM" || mode === "VirtualDeployment")
      return `${component} would run as ${mode}, which is not supported yet; leave out leader and worker`;
  }
  return undefined;
}
