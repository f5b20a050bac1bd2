import type { ServingIntent } from "@trivium/domain";
import { annotateAdapters, engineFamilyOf, parseServingAnnotations } from "@trivium/engines";
import { hasUnresolved } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import type { ChosenClasses } from "../accelerators/index.ts";
import { componentPaths } from "../field-paths.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import type { OmeOptions } from "../options.ts";
import type { RuntimeSelection } from "../selection/index.ts";
import { adapterNamesOf, mountWith } from "./adapters/index.ts";
import { installedApisOf } from "./observed/installed-apis.ts";
import type { ObservedModel } from "./observed/model.ts";
import { type ObservedService, runtimeOf } from "./observed/service.ts";
import { mergeComponents } from "./pod/merge.ts";
import type { ComponentPlan } from "./roles/component-plan.ts";
import { parseMode, withoutKnative } from "./roles/deployment-mode.ts";
import { planComponents } from "./roles/plan-components.ts";
import { roleOf } from "./roles/role.ts";
import { type Blocked, blockedReference, fails, selectionBlock } from "./selection/blocked.ts";
import { chooseClasses } from "./selection/choose-classes.ts";
import { faultsOfReferences } from "./selection/references.ts";
import { resolveModel } from "./selection/resolve-model.ts";
import { selectForService } from "./selection/select-for-service.ts";
import { lowerSizing, serverOf } from "./sizing/lower-sizing.ts";
import { ignoredAnnotations } from "./status/ignored-annotations.ts";
import { type EntryPlan, planEntry, planEntryObjects, timeoutWarnings } from "./traffic/index.ts";
import { modelListing } from "./weights/model-listing.ts";
import { planMount } from "./weights/model-mount.ts";

/** What a service comes to. */
export type LoweredService =
  /** A fact has not come yet. */
  | { readonly is: "unresolved" }
  /** Only an address; nothing of ours runs. */
  | { readonly is: "virtual" }
  | Blocked
  | Intended;

type Selected = Extract<RuntimeSelection, { is: "selected" }>;

export interface Intended {
  readonly is: "intended";
  readonly intent: ServingIntent;
  readonly model: ObservedModel;
  readonly selection: Selected;
  readonly components: readonly ComponentPlan[];
  /** Where requests come in. */
  readonly entry: ComponentPlan;
  /** How they come in. */
  readonly way: EntryPlan;
  readonly warnings: readonly string[];
  /** The accelerator classes of the components. */
  readonly accelerators: ChosenClasses;
  /** Fields and annotations without effect, each with the reason. */
  readonly ignored: readonly string[];
  /** Why it is unknown whether the model fits, where it is. */
  readonly unsized?: string | undefined;
}

export interface Context {
  readonly observed: ObservedService;
  readonly options: OmeOptions;
  readonly now: Instant;
}

export function lowerService(service: InferenceService, context: Context): LoweredService {
  const { observed } = context;
  const mode = parseMode(service.metadata.annotations);
  if (mode === "VirtualDeployment") return { is: "virtual" };
  if (hasUnresolved(observed)) return { is: "unresolved" };
  if (mode === "Serverless" && !installedApisOf(observed).hasKnative)
    return fails("InvalidPredictorSpec", "ServerlessModeRejected", withoutKnative);
  const [unreferable] = faultsOfReferences(service);
  if (unreferable !== undefined) return blockedReference(unreferable);
  const resolved = resolveModel(service, observed);
  if (resolved.is === "blocked") return resolved;
  const { model } = resolved;
  const selection = selectForService(service, {
    model: { name: model.name, traits: model.traits },
    candidates: observed.runtimes,
    current: runtimeOf(observed),
  });
  if (selection.is === "failed") return selectionBlock(model, selection);
  return lowerSelected(service, { model, selection }, context);
}

function lowerSelected(
  service: InferenceService,
  chosen: { readonly model: ObservedModel; readonly selection: Selected },
  context: Context,
): LoweredService {
  const { model, selection } = chosen;
  const { observed, options } = context;
  const { runtime } = selection;
  const specs = mergeComponents(service, runtime.spec);
  if (specs.engine === undefined) {
    const message = "An engine is required; set spec.engine, or use a runtime with an engineConfig";
    return { ...fails("InvalidPredictorSpec", "DeploymentModeError", message), ...chosen };
  }
  const accelerated = chooseClasses(service, { specs, runtime, observed });
  if (accelerated.is === "failed") {
    const { message, choice } = accelerated;
    return { ...fails("InvalidPredictorSpec", "AcceleratorClassError", message), ...chosen, choices: [choice] };
  }
  const { accelerators } = accelerated;
  const mount = mountWith(planMount(model, service.metadata.namespace), model.weights, options);
  if (mount.is === "faulty") return { ...fails("InvalidPredictorSpec", "ModelReconcileError", mount.why), ...chosen };
  const annotations = parseServingAnnotations(service.metadata.annotations);
  const planned = planComponents({
    service,
    specs,
    model,
    mount,
    runtime,
    observed,
    options,
    annotations,
    accelerators,
  });
  if (planned.is === "faulty") return { ...fails(planned.reason, planned.note, planned.why), ...chosen };
  const { components } = planned;
  const entry = components.find(({ name }) => name === "router") ?? (components[0] as ComponentPlan);
  const configuration = observed.configuration?.is === "known" ? observed.configuration.value : undefined;
  const way = planEntry({ service, parts: { components, entry }, observed: observed.entry, configuration, options });
  const warnings = [
    ...selection.warnings,
    ...components.flatMap((one) => one.warnings),
    ...(way.is === "open" ? way.warnings : []),
    ...timeoutWarnings(components, way),
  ];
  const ignored = [...ignoredAnnotations(annotations, components, observed), ...accelerated.ignored];
  const lowered = { ...chosen, components, entry, way, accelerators };
  const { sizing, unsized } = lowerSizing({ service, model, components, observed, accelerators });
  const intent = { ...intentOf(service, lowered, context), sizing };
  return { is: "intended", intent, ...lowered, warnings, ignored, unsized };
}

/** The service in the words that all dialects share. */
function intentOf(
  service: InferenceService,
  { model, selection, components, entry, way }: Omit<Intended, "is" | "intent" | "warnings" | "ignored" | "unsized">,
  { observed, now }: Context,
): Omit<ServingIntent, "sizing"> {
  const { name = "", namespace = "" } = service.metadata;
  const models = [name, model.name];
  return {
    identity: { kind: "InferenceService", namespace, name },
    choice: selection.choice,
    // Nodes hold the files, and pods are scheduled to those that do.
    weights: { is: "placed" },
    configs: [modelListing(service, model)],
    claims: [],
    roles: components.map((component) => roleOf(component, { service, observed })),
    ...planEntryObjects(service, {
      parts: { components, entry },
      plan: way,
      models,
      adapters: adaptersOf(model, components),
    }),
    paths: componentPaths("engine"),
    now,
  };
}

/** How requests name the adapters, which depends on the engine. */
function adaptersOf({ weights }: ObservedModel, components: readonly ComponentPlan[]): Record<string, string> {
  const engine = components.find(({ name }) => name === "engine");
  const server = engine && serverOf(engine);
  return annotateAdapters(adapterNamesOf(weights), server && engineFamilyOf(server));
}
