import {
  findFit,
  isGgufFile,
  largestNodeMemory,
  type MeasuredWeights,
  nodeHardware,
  summarizeGpus,
} from "@trivium/engines";
import { Node } from "@trivium/kube";
import { asksForGpus, hardwareRequestOf } from "../../hardware/hardware-request.ts";
import { AIMModelCache } from "../../kinds/model-cache.ts";
import { bytesOf } from "../../storage/claim-size.ts";
import type { Service } from "../names/names.ts";
import type { ObservedTemplates } from "../observed/observe-templates.ts";
import { isRunning, type ObservedService, type ObservedTemplate } from "../observed/observed-service.ts";
import type { ServiceReader } from "../observed/reads.ts";
import { gpuCountOf, gpuModelsOf } from "../selection/template-facts.ts";
import { sourcesOf } from "../weights/sources.ts";

type ObservedMemory = Pick<ObservedService, "nodeBytes" | "gpuBytes" | "measuredBytes" | "measuredWeights">;

/** Whether nothing is left to find out: it runs, and the sum for this very spec is reported. A change of a node does not matter then. */
export const isFitKnown = (service: Service, workload: Parameters<typeof isRunning>[0]): boolean =>
  isRunning(workload) && findFit(service)?.status === "True";

export function observeMemory(
  service: Service,
  reader: ServiceReader,
  { template, usual, candidates }: ObservedTemplates,
): ObservedMemory {
  const named = [template, usual].flatMap((fact) => (fact?.is === "known" ? [fact.value] : []));
  const possible = [...named, ...candidates];
  if (possible.length === 0) return {};
  const nodes = reader.listParts(Node, {}, nodeHardware);
  const onCpu = possible.filter(isOnCpu);
  const nodeBytes = onCpu.length === 0 ? undefined : largestNodeMemory(nodes);
  const gpuBytes = gpuBytesOf(possible, nodes);
  const measured = measuredBytes(service, reader, possible);
  const weights = measuredWeights(service, reader, possible);
  return {
    ...(nodeBytes === undefined ? {} : { nodeBytes }),
    ...(Object.keys(gpuBytes).length === 0 ? {} : { gpuBytes }),
    ...(Object.keys(measured).length === 0 ? {} : { measuredBytes: measured }),
    ...(Object.keys(weights).length === 0 ? {} : { measuredWeights: weights }),
  };
}

/** Memory of one GPU, by model; of the models that a template could use. */
function gpuBytesOf(templates: readonly ObservedTemplate[], nodes: readonly Node[]): Record<string, number> {
  const onGpus = templates.filter((one) => gpuCountOf(one) > 0);
  const isAny = onGpus.some((one) => gpuModelsOf(one).length === 0);
  const wanted = new Set(onGpus.flatMap(gpuModelsOf));
  const found = onGpus.length === 0 ? [] : summarizeGpus(nodes);
  return Object.fromEntries(
    found.flatMap(({ model, vramBytes }) =>
      vramBytes !== undefined && (isAny || wanted.has(model)) ? [[model, vramBytes] as const] : [],
    ),
  );
}

/** Sizes that caches measured of sources whose size no template states. */
function measuredBytes(
  { metadata }: Service,
  reader: ServiceReader,
  templates: readonly ObservedTemplate[],
): Record<string, number> {
  const { namespace } = metadata;
  const unsized = templates.flatMap(sourcesOf).filter(({ size }) => bytesOf(size) === undefined);
  const measured = [...new Set(unsized.map(({ sourceUri }) => sourceUri))].flatMap((sourceUri) => {
    const caches = reader.list(AIMModelCache, { namespace, fields: { "spec.sourceUri": sourceUri } });
    const sizes = caches.flatMap(({ spec, status }) => bytesOf(spec.size ?? status?.discoveredSizeBytes) ?? []);
    return sizes.length === 0 ? [] : [[sourceUri, Math.min(...sizes.map(Number))] as const];
  });
  return Object.fromEntries(measured);
}

/** What caches read in the headers of GGUF files. */
function measuredWeights(
  { metadata }: Service,
  reader: ServiceReader,
  templates: readonly ObservedTemplate[],
): Record<string, MeasuredWeights> {
  const { namespace } = metadata;
  const files = [...new Set(templates.flatMap(sourcesOf).map(({ sourceUri }) => sourceUri))].filter(isGgufFile);
  const found = files.flatMap((sourceUri) => {
    const caches = reader.list(AIMModelCache, { namespace, fields: { "spec.sourceUri": sourceUri } });
    const [weights] = caches.flatMap(({ status }) => status?.weights ?? []);
    return weights === undefined ? [] : [[sourceUri, weights] as const];
  });
  return Object.fromEntries(found);
}

/** Whether a template states that it needs no GPU. Where it states nothing the image decides. */
export function isOnCpu(template: ObservedTemplate): boolean {
  const request = hardwareRequestOf(template.spec);
  const isStated = request.cpu !== undefined || request.count === 0;
  return isStated && !asksForGpus(request) && gpuCountOf(template) === 0 && gpuModelsOf(template).length === 0;
}
