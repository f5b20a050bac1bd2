import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ComponentSpec } from "../roles/component.ts";

export type KedaSettings = NonNullable<ComponentSpec["kedaConfig"]>;

const prefix = "autoscaling.keda.sh/";
const annotated = {
  scalingThreshold: `${prefix}threshold`,
  scalingOperator: `${prefix}operator`,
  promServerAddress: `${prefix}prometheus.serverAddress`,
  customPromQuery: `${prefix}prometheus.query`,
} as const;

/** All that is said of measuring: annotations, the component, the service, the whole installation, in this order. Empty texts say nothing. */
export function kedaSettingsOf(
  { metadata, spec }: InferenceService,
  component: ComponentSpec,
  defaults: KedaSettings | undefined,
): KedaSettings {
  const annotations = { ...metadata.annotations, ...component.annotations };
  const written = Object.entries(annotated).map(([field, key]) => [field, annotations[key]] as const);
  return {
    ...spoken(defaults),
    ...spoken(spec.kedaConfig),
    ...spoken(component.kedaConfig),
    ...spoken(Object.fromEntries(written)),
  };
}

const spoken = (settings: object | undefined): KedaSettings =>
  Object.fromEntries(Object.entries(settings ?? {}).filter(([, value]) => value !== undefined && value !== ""));
