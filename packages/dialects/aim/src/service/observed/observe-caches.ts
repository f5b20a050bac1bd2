import { AIMTemplateCache } from "../../kinds/template-cache.ts";
import { annotations, labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { Service } from "../names/names.ts";
import { isReady } from "../selection/template-facts.ts";
import type { ObservedTemplates } from "./observe-templates.ts";
import type { ObservedTemplateCache, TemplateCache } from "./observed-service.ts";
import type { ServiceReader } from "./reads.ts";

/** Caches of templates that may be run, and those that were made for this service. */
export function observeCaches(
  service: Service,
  reader: ServiceReader,
  templates: ObservedTemplates,
): ObservedTemplateCache[] {
  const { namespace, name = "", uid = "" } = service.metadata;
  const label = labelValueOf(name);
  const filled = templateNames(templates).flatMap((template) => [
    ...reader.list(AIMTemplateCache, { namespace, fields: { "spec.templateRef": template } }),
    ...reader.list(AIMTemplateCache, { namespace, fields: { "spec.templateName": template } }),
  ]);
  const made = [
    ...reader.list(AIMTemplateCache, { namespace, labels: { [labels.serviceName]: label } }),
    ...reader.list(AIMTemplateCache, { namespace, owner: uid }),
  ];
  const ours = new Set(made);
  return [...new Set([...filled, ...made])].sort(byName).map((cache) => observedCache(cache, ours.has(cache)));
}

/** Weights are looked for once a template is known to be able to run. */
function templateNames({ template, candidates, usual }: ObservedTemplates): string[] {
  const named = [template, usual].flatMap((fact) => (fact?.is === "known" ? [fact.value] : []));
  return [...new Set([...named, ...candidates.filter(isReady)].map(({ name }) => name))];
}

const byName = (a: TemplateCache, b: TemplateCache): number =>
  (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;

function observedCache({ metadata, spec, status }: TemplateCache, isOurs: boolean): ObservedTemplateCache {
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    isLeaving: metadata.deletionTimestamp !== undefined,
    isOurs,
    ...(metadata.annotations?.[annotations.holdDownload] === "true" ? { isHeld: true as const } : {}),
    spec,
    ...(status === undefined ? {} : { status }),
  };
}
