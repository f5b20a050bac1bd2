import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import type { ObservedModel, ObservedTemplate } from "../observed/observed-service.ts";
import * as of from "../selection/template-facts.ts";
import { modelIdOf, sourcesOf } from "../weights/sources.ts";
import type { Service } from "./names.ts";

/** A service with the model and the template that were selected for it. */
export interface SelectedService {
  readonly service: Service;
  readonly model: ObservedModel;
  readonly template: ObservedTemplate;
}

/** By which everything of a service is found, its route included. */
export function identityLabels({ service, model, template }: SelectedService): Record<string, string> {
  const [source] = sourcesOf(template);
  return {
    [labels.template]: labelValueOf(template.name),
    [labels.modelId]: labelValueOf(source === undefined ? model.name : modelIdOf(source)),
    [labels.model]: labelValueOf(model.name),
    [labels.serviceName]: labelValueOf(service.metadata.name ?? ""),
    ...standardLabels,
  };
}

const standardLabels = {
  [labels.name]: "aim-service",
  [labels.component]: "inference-service",
  [labels.managedBy]: "aim-controller",
};

/** What is put on everything that serves. */
export function servingLabels({ settings, ...chosen }: SelectedService & { readonly settings: Settings }) {
  const [metric, precision] = [of.metricOf(chosen.template), of.precisionOf(chosen.template)];
  const own = {
    ...identityLabels(chosen),
    ...(metric === undefined ? {} : { [labels.templateMetric]: labelValueOf(metric) }),
    ...(precision === undefined ? {} : { [labels.templatePrecision]: labelValueOf(precision) }),
  };
  const given = chosen.service.metadata.labels;
  return propagateLabels(settings, given, { ...given, ...own });
}

/** What tools keep for themselves on an object says nothing about its children. */
const isPrivate = (key: string): boolean => key.startsWith("kubectl.kubernetes.io/");

export function annotationsOf({ metadata }: Service): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !isPrivate(key)));
}
