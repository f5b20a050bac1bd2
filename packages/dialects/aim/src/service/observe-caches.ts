import { AIMTemplateCache } from "../kinds/template-cache.ts";
import { labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { Service } from "./names.ts";
import type { TemplatesSeen } from "./observe-templates.ts";
import type { ServiceLook } from "./reads.ts";
import type { TemplateCache, TemplateCacheSeen } from "./seen.ts";
import { isReady } from "./template-facts.ts";

/** Caches of templates that may be run, and those that were made for this service. */
export function observeCaches(service: Service, look: ServiceLook, templates: TemplatesSeen): TemplateCacheSeen[] {
  const { namespace, name = "", uid = "" } = service.metadata;
  const label = labelValueOf(name);
  const filled = templateNames(templates).flatMap((template) => [
    ...look.list(AIMTemplateCache, { namespace, fields: { "spec.templateRef": template } }),
    ...look.list(AIMTemplateCache, { namespace, fields: { "spec.templateName": template } }),
  ]);
  const made = [
    ...look.list(AIMTemplateCache, { namespace, labels: { [labels.serviceName]: label } }),
    ...look.list(AIMTemplateCache, { namespace, owner: uid }),
  ];
  const ours = new Set(made);
  return [...new Set([...filled, ...made])].sort(byName).map((cache) => cacheSeen(cache, ours.has(cache)));
}

/** Weights are looked for once a template is known to be able to run. */
function templateNames({ template, candidates, usual }: TemplatesSeen): string[] {
  const named = [template, usual].flatMap((fact) => (fact?.is === "known" ? [fact.value] : []));
  return [...new Set([...named, ...candidates.filter(isReady)].map(({ name }) => name))];
}

const byName = (a: TemplateCache, b: TemplateCache): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

function cacheSeen({ metadata, spec, status }: TemplateCache, isOurs: boolean): TemplateCacheSeen {
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    isLeaving: metadata.deletionTimestamp !== undefined,
    isOurs,
    spec,
    ...(status === undefined ? {} : { status }),
  };
}
