import type { Kind } from "@trivium/kube";
import { type Fact, known } from "@trivium/std";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../../kinds/service-template.ts";
import type { Template } from "../../objects.ts";
import type { Service } from "../names/names.ts";
import { hasOverrides } from "../selection/derived-template.ts";
import { keptTemplate } from "../selection/kept-template.ts";
import { ownersOf } from "./observe-models.ts";
import type { ObservedModel, ObservedService, ObservedTemplate } from "./observed-service.ts";
import { type ServiceReader, templateKinds } from "./reads.ts";

export type ObservedTemplates = Pick<ObservedService, "template" | "candidates" | "usual">;

interface TemplateReading {
  readonly reader: ServiceReader;
  readonly models: Fact<readonly ObservedModel[]>;
  readonly runs: boolean;
}

/** Once the choice is made, only what was chosen is looked at: other templates may come and go. */
export function observeTemplates(service: Service, { reader, models, runs }: TemplateReading): ObservedTemplates {
  const { namespace } = service.metadata;
  const nearest = (name: string, kinds: readonly Kind<Template>[] = templateKinds): Fact<ObservedTemplate> => {
    const found = reader.nearest<Kind<Template>>(kinds, { namespace, name });
    return found.is === "known" ? known(observedTemplate(found.value)) : found;
  };
  const named = service.spec.templateRef ?? service.spec.template?.name;
  const model = models.is === "known" ? models.value[0] : undefined;
  const kept = runs ? keptTemplate(service) : undefined;
  if (kept?.name !== undefined) {
    // One of the same name in the other scope is another template.
    const template = nearest(kept.name, [kept.scope === "Cluster" ? AIMClusterServiceTemplate : AIMServiceTemplate]);
    if (template.is !== "absent") return { template, candidates: [] };
  }
  const candidates = model === undefined ? [] : candidatesOf(service, reader, model.name);
  if (named !== undefined) return { template: nearest(named), candidates: hasOverrides(service) ? candidates : [] };
  const usual = model?.spec.defaultServiceTemplate;
  return { candidates, ...(usual ? { usual: nearest(usual) } : {}) };
}

/** Each of these wakes on templates of this model, and on no others. */
const modelFields = ["spec.modelName", "spec.aimImageName"] as const;

/** Derived ones too: they are found by their name, and never chosen. */
function candidatesOf({ metadata }: Service, reader: ServiceReader, model: string): ObservedTemplate[] {
  const { namespace } = metadata;
  const found = modelFields.flatMap((field): Template[] => [
    ...reader.list(AIMServiceTemplate, { namespace, fields: { [field]: model } }),
    ...reader.list(AIMClusterServiceTemplate, { fields: { [field]: model } }),
  ]);
  return [...new Set(found)].map(observedTemplate);
}

function observedTemplate(template: Template): ObservedTemplate {
  const { metadata, spec, status } = template;
  return {
    scope: metadata.namespace === undefined ? "Cluster" : "Namespace",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    labels: metadata.labels ?? {},
    owners: ownersOf(template),
    spec,
    ...(status === undefined ? {} : { status }),
  };
}
