import { describeHostMisfit, hasOpenHostMemory, largestNodeMemory } from "@trivium/engines";
import { Node } from "@trivium/kube";
import { asksForGpus, hardwareRequestOf } from "../../hardware/hardware-request.ts";
import { AIMModelCache } from "../../kinds/model-cache.ts";
import { bytesOf } from "../../storage/claim-size.ts";
import type { Service } from "../names/names.ts";
import type { ObservedTemplates } from "../observed/observe-templates.ts";
import type { ObservedModel, ObservedService, ObservedTemplate } from "../observed/observed-service.ts";
import type { ServiceReader } from "../observed/reads.ts";
import { resourcesOf } from "../pod/serving.ts";
import { gpuCountOf, gpuModelsOf } from "../selection/template-facts.ts";
import { modelIdOf, sourcesOf } from "../weights/sources.ts";

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

/** Whether a template says that it needs no GPU. One that says nothing is for the image to decide. */
function isOnProcessors(template: ObservedTemplate): boolean {
  const request = hardwareRequestOf(template.spec);
  const isSaid = request.cpu !== undefined || request.count === 0;
  return isSaid && !asksForGpus(request) && gpuCountOf(template) === 0 && gpuModelsOf(template).length === 0;
}

interface HostFitInput {
  readonly service: Service;
  readonly model: ObservedModel;
  readonly template: ObservedTemplate;
  readonly observed: ObservedService;
}

/** Why no node can hold the weights in its memory; nothing where one can, or too little is known. */
export function findHostMisfit({ service, model, template, observed }: HostFitInput): string | undefined {
  const runs = observed.inferenceService.is === "known" || observed.deployment.is === "known";
  if (runs || !isOnProcessors(template)) return undefined;
  if (!hasOpenHostMemory(resourcesOf({ service, model, template }))) return undefined;
  const sources = sourcesOf(template);
  return describeHostMisfit({
    of: sources.map(modelIdOf).join(" with "),
    field: "spec.resources.requests.memory",
    weightBytes: weightBytesOf(template, observed),
    nodeBytes: observed.nodeBytes,
  });
}

/** The sum of all sources; nothing where the size of one is unknown. */
function weightBytesOf(template: ObservedTemplate, { measuredBytes = {} }: ObservedService): number | undefined {
  const sizes = sourcesOf(template).map(({ size, sourceUri }) => {
    const stated = bytesOf(size);
    return stated === undefined ? measuredBytes[sourceUri] : Number(stated);
  });
  return sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
