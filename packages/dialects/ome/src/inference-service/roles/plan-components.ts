import type { ServingAnnotations } from "@trivium/engines";
import type { Fact } from "@trivium/std";
import type { ChosenClasses } from "../../accelerators/index.ts";
import { configurationName } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { OmeOptions } from "../../options.ts";
import type { FailureReason, ServiceNote } from "../../reasons.ts";
import type { Candidate } from "../../selection/index.ts";
import { installedApisOf } from "../observed/installed-apis.ts";
import type { ObservedModel } from "../observed/model.ts";
import type { ObservedService } from "../observed/service.ts";
import { canSplitTraffic } from "../traffic/index.ts";
import type { ModelMount } from "../weights/model-mount.ts";
import { withCanaryPercent } from "./canary.ts";
import { type ComponentName, type ComponentSpecs, componentNames } from "./component.ts";
import type { ComponentInput } from "./component-parts.ts";
import { type ComponentPlan, planComponent } from "./component-plan.ts";
import { type ShapedMode, settleModes } from "./deployment-mode.ts";

export interface ComponentsInput {
  readonly service: InferenceService;
  readonly specs: ComponentSpecs;
  readonly model: ObservedModel;
  readonly mount: ModelMount;
  readonly runtime: Candidate;
  readonly observed: ObservedService;
  readonly options: OmeOptions;
  readonly annotations: ServingAnnotations;
  readonly accelerators: ChosenClasses;
}

export type PlannedComponents =
  | { readonly is: "planned"; readonly components: readonly ComponentPlan[] }
  | { readonly is: "faulty"; readonly reason: FailureReason; readonly note: ServiceNote; readonly why: string };

/** Each component in the shape that can be had here. */
export function planComponents(input: ComponentsInput): PlannedComponents {
  const { service, specs, observed } = input;
  const defaultMode = knownOf(observed.configuration)?.deploy?.defaultMode;
  const { annotations } = service.metadata;
  const settled = settleModes(specs, { annotations, defaultMode }, installedApisOf(observed));
  if (settled.is === "unable")
    return { is: "faulty", reason: "InvalidPredictorSpec", note: settled.note, why: settled.why };
  const components: ComponentPlan[] = [];
  for (const component of componentNames) {
    const mode = settled.modes[component];
    if (mode === undefined) continue;
    const planned = planComponent(inputOf(input, component, mode));
    if (planned.is === "faulty") {
      const reason = component === "router" ? "InvalidRouterSpec" : "InvalidPredictorSpec";
      return { is: "faulty", reason, note: "MergeSpecsError", why: planned.why };
    }
    components.push(planned.plan);
  }
  return { is: "planned", components };
}

function inputOf(input: ComponentsInput, component: ComponentName, mode: ShapedMode): ComponentInput {
  const { specs, observed, options } = input;
  const workloads = mode === "RawDeployment" ? observed.deployments : observed.groups;
  const configuration = knownOf(observed.configuration);
  const entry = specs.router === undefined ? "engine" : "router";
  return {
    ...input,
    component,
    accelerator: component === "router" ? undefined : input.accelerators[component],
    entry,
    mode,
    spec: component === entry ? withCanaryPercent(specs[component] ?? {}, input.annotations) : (specs[component] ?? {}),
    live: knownOf(workloads?.[component]),
    revision: knownOf(observed.revisions?.[component]),
    canary: observed.canaries?.[component],
    hasKeda: installedApisOf(observed).hasKeda,
    hasGateway: installedApisOf(observed).hasGateway,
    hasLeftover: knownOf(observed.autoscalers?.[component])?.isOurs === true,
    configuration,
    canSplit: component === entry && canSplitTraffic(input.service, configuration, options),
    configMap: `${options.namespace}/${configurationName}`,
  };
}

const knownOf = <T>(fact: Fact<T> | undefined): T | undefined => (fact?.is === "known" ? fact.value : undefined);
