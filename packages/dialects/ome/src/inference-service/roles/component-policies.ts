import type { DisruptionPlan, RoleScaling, ScalingPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { serviceNameOf } from "../../names.ts";
import { objectNameOf, selectorOf } from "../names/labels.ts";
import { planScaling } from "../scaling/plan-scaling.ts";
import { type ComponentInput, componentLabelsOf } from "./component-parts.ts";
import { boundsOf } from "./replicas.ts";

/** What keeps the right number of replicas: an autoscaler, and a limit for the draining of nodes. */
export interface ComponentPolicies {
  readonly scaling: RoleScaling;
  readonly disruption: DisruptionPlan;
}

export type PlannedPolicies =
  | { readonly is: "planned"; readonly policies: ComponentPolicies }
  | { readonly is: "faulty"; readonly why: string };

/** What is to be scaled, and the container that reports its load. */
export interface Scaled {
  readonly target: ScalingPlan["target"];
  readonly main: api.Container;
}

/** Without anything to scale there is only the limit. */
export function planPolicies(input: ComponentInput, scaled: Scaled | undefined): PlannedPolicies {
  const scaling = scaled === undefined ? ({ is: "fixed" } as const) : scalingOf(input, scaled);
  if (scaling.is === "faulty") return scaling;
  return { is: "planned", policies: { scaling, disruption: disruptionOf(input) } };
}

function scalingOf(input: ComponentInput, { target, main }: Scaled): ReturnType<typeof planScaling> {
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

function disruptionOf(input: ComponentInput): DisruptionPlan {
  const { service, component, spec } = input;
  const { minAvailable, maxUnavailable } = spec;
  return {
    name: objectNameOf(service, component),
    labels: componentLabelsOf(input),
    spec: {
      selector: { matchLabels: selectorOf(service, component) },
      ...(minAvailable === undefined ? { maxUnavailable: maxUnavailable ?? 1 } : { minAvailable }),
    },
  };
}
