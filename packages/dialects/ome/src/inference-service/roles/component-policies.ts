import type { ScaledPlan, ScalingPlan } from "@trivium/domain";
import type { api, PodDisruptionBudget } from "@trivium/kube";
import { serviceNameOf } from "../../names.ts";
import { objectNameOf, selectorOf } from "../names/labels.ts";
import { type PlannedScaling, planScaling } from "../scaling/plan-scaling.ts";
import { type ComponentInput, componentLabelsOf } from "./component-parts.ts";
import { boundsOf } from "./replicas.ts";

export type Scaling = Extract<PlannedScaling, { is: "hpa" | "keda" }>;
export type Disruption = NonNullable<PodDisruptionBudget["spec"]>;

/** Who keeps the right number of copies: an autoscaler, and a limit for those who take copies away. */
export interface ComponentPolicies {
  readonly scaling?: Scaling;
  /** Why nobody scales, where somebody should. */
  readonly unscaled?: string;
  /** What stays if it is there, although it cannot be made now. */
  readonly spared?: ScaledPlan;
  readonly disruption: Disruption;
}

export type PlannedPolicies =
  | { readonly is: "planned"; readonly by: "hpa" | "keda" | "none"; readonly policies: ComponentPolicies }
  | { readonly is: "faulty"; readonly why: string };

/** What is to be scaled, and the container that tells how busy it is. */
export interface Scaled {
  readonly target: ScalingPlan["target"];
  readonly main: api.Container;
}

/** Without anything to scale there is only the limit. */
export function planPolicies(input: ComponentInput, scaled: Scaled | undefined): PlannedPolicies {
  const scaling: PlannedScaling = scaled === undefined ? { is: "none" } : scalingOf(input, scaled);
  if (scaling.is === "faulty") return scaling;
  const disruption = disruptionOf(input);
  if (scaling.is !== "none") return { is: "planned", by: scaling.is, policies: { scaling, disruption } };
  const { why, spared } = scaling;
  const unmet = { ...(why === undefined ? {} : { unscaled: why }), ...(spared === undefined ? {} : { spared }) };
  return { is: "planned", by: "none", policies: { ...unmet, disruption } };
}

function scalingOf(input: ComponentInput, { target, main }: Scaled): PlannedScaling {
  const { service, component, entry, spec, configuration } = input;
  const { name = "", namespace = "" } = service.metadata;
  return planScaling({
    ...input,
    bounds: boundsOf(component, spec),
    labels: componentLabelsOf(input),
    target,
    measured: {
      service: { name, namespace },
      component,
      entry: serviceNameOf(objectNameOf(service, entry)),
      object: objectNameOf(service, component),
      main,
    },
    defaults: configuration?.keda,
  });
}

function disruptionOf({ service, component, spec }: ComponentInput): Disruption {
  const { minAvailable, maxUnavailable } = spec;
  return {
    selector: { matchLabels: selectorOf(service, component) },
    ...(minAvailable === undefined ? { maxUnavailable: maxUnavailable ?? 1 } : { minAvailable }),
  };
}
