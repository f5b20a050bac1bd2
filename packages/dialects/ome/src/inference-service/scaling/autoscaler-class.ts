import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ComponentSpec } from "../roles/component.ts";

const classes = ["hpa", "keda", "external"] as const;
export type AutoscalerClass = (typeof classes)[number];

export type ClassRequest =
  /** `by` tells whether somebody chose it, or the metric makes it so. */
  | { readonly is: "requested"; readonly class: AutoscalerClass; readonly by: "name" | "metric" | "nobody" }
  | { readonly is: "unknown"; readonly word: string };

const key = "ome.io/autoscalerClass";

/** Who scales a component: the annotation says, then `enableKeda`, then a metric that only KEDA can measure. */
export function autoscalerClassOf(service: InferenceService, spec: ComponentSpec): ClassRequest {
  const word = spec.annotations?.[key] ?? service.metadata.annotations?.[key];
  if (word !== undefined && word !== "") {
    const found = classes.find((one) => one === word);
    return found === undefined ? { is: "unknown", word } : { is: "requested", class: found, by: "name" };
  }
  const isEnabled = spec.kedaConfig?.enableKeda ?? service.spec.kedaConfig?.enableKeda;
  if (isEnabled === true) return { is: "requested", class: "keda", by: "name" };
  if (isOfRequests(spec)) return { is: "requested", class: "keda", by: "metric" };
  return { is: "requested", class: "hpa", by: "nobody" };
}

/** Requests are counted where they pass, not in pods: the usual autoscaler cannot see them. */
export const isOfRequests = ({ scaleMetric }: Pick<ComponentSpec, "scaleMetric">): boolean =>
  scaleMetric === "rps" || scaleMetric === "concurrency";

/** Whether the number of copies is left to somebody else's autoscaler. */
export function scalerOf(service: InferenceService, spec: ComponentSpec): "us" | "others" {
  const request = autoscalerClassOf(service, spec);
  return request.is === "requested" && request.class === "external" ? "others" : "us";
}

export function wantsKeda(service: InferenceService, spec: ComponentSpec): boolean {
  const request = autoscalerClassOf(service, spec);
  return request.is === "requested" && request.class === "keda";
}
