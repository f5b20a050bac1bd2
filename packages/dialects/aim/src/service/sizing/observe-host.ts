import { largestNodeMemory } from "@trivium/engines";
import { Node } from "@trivium/kube";
import { asksForGpus, hardwareRequestOf } from "../../hardware/hardware-request.ts";
import { AIMModelCache } from "../../kinds/model-cache.ts";
import { bytesOf } from "../../storage/claim-size.ts";
import type { Service } from "../names/names.ts";
import type { ObservedTemplates } from "../observed/observe-templates.ts";
import type { ObservedService, ObservedTemplate } from "../observed/observed-service.ts";
import type { ServiceReader } from "../observed/reads.ts";
import { gpuCountOf, gpuModelsOf } from "../selection/template-facts.ts";
import { sourcesOf } from "../weights/sources.ts";

type ObservedHost = Pick<ObservedService, "nodeBytes" | "measuredBytes">;

/** Looked at only before something runs, for templates that may run on processors: what runs is not judged by its node again. */
export function observeHost(
  service: Service,
  reader: ServiceReader,
  { template, usual, candidates }: ObservedTemplates,
): ObservedHost {
  const named = [template, usual].flatMap((fact) => (fact?.is === "known" ? [fact.value] : []));
  const possible = [...named, ...candidates].filter(isOnProcessors);
  const nodeBytes = possible.length === 0 ? undefined : largestNodeMemory(reader.list(Node, {}));
  if (nodeBytes === undefined) return {};
  const { namespace } = service.metadata;
  const unsized = possible.flatMap(sourcesOf).filter(({ size }) => bytesOf(size) === undefined);
  const measured = [...new Set(unsized.map(({ sourceUri }) => sourceUri))].flatMap((sourceUri) => {
    const caches = reader.list(AIMModelCache, { namespace, fields: { "spec.sourceUri": sourceUri } });
    const sizes = caches.flatMap(({ spec, status }) => bytesOf(spec.size ?? status?.discoveredSizeBytes) ?? []);
    return sizes.length === 0 ? [] : [[sourceUri, Math.min(...sizes.map(Number))] as const];
  });
  return { nodeBytes, ...(measured.length === 0 ? {} : { measuredBytes: Object.fromEntries(measured) }) };
}

/** Whether a template states that it needs no GPU. Where it states nothing the image decides. */
export function isOnProcessors(template: ObservedTemplate): boolean {
  const request = hardwareRequestOf(template.spec);
  const isSaid = request.cpu !== undefined || request.count === 0;
  return isSaid && !asksForGpus(request) && gpuCountOf(template) === 0 && gpuModelsOf(template).length === 0;
}
