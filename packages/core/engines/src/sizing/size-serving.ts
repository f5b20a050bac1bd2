import type { Diagnosis, FitAlternative, MemoryFit, MemoryPool, SizingIntent, SizingRequest } from "@trivium/domain";
import { formatDiagnosis } from "../health/diagnosis/format-diagnosis.ts";
import { exceedsNodes } from "./nodes/node-memory.ts";
import { planAlternatives } from "./plan-alternatives.ts";
import { planMemory } from "./plan-memory.ts";
import { formatMemory, formatOffered } from "./summarize-memory.ts";

/**
 * Whether a model fits, the sum by term and place, and each single change that would make it fit. `deviceLayers` are the layers that were
 * put on the devices because not all of them fit.
 */
export function sizeServing(request: SizingRequest, deviceLayers?: number): MemoryFit {
  const whole = planMemory(request);
  if (whole.is === "impossible") return { fits: "no", shares: [], bytes: 0, alternatives: [], impossible: whole.why };
  const unmet = describeUnmet(request.memory.host, whole.bytes);
  if (unmet !== undefined) {
    const { shares, bytes } = whole;
    return { fits: "no", shares, bytes, alternatives: [], impossible: formatDiagnosis(unmet), unmet };
  }
  const alternatives = alternativesOf(request);
  if (deviceLayers === undefined) return { fits: whole.fits, shares: whole.shares, bytes: whole.bytes, alternatives };
  const partly = planMemory({ ...request, deviceLayers });
  const { shares, bytes } = partly.is === "sized" ? partly : whole;
  return { fits: "partly", shares, bytes, alternatives, deviceLayers };
}

/** A request that no node meets keeps the pod from being scheduled, however little the model needs. */
function describeUnmet(host: MemoryPool | undefined, needed: number): Diagnosis | undefined {
  if (host?.request === undefined || host.request.bytes <= host.request.offered) return undefined;
  const [bytes, offered] = [formatMemory(host.request.bytes), formatOffered(host.request.offered)];
  const enough = needed > 0 && needed <= host.request.offered ? ` (the model needs ${formatMemory(needed)})` : "";
  return {
    subject: "the requested memory",
    cause: `No node has enough memory: a pod requests ${bytes}, and the largest node offers ${offered}`,
    remedy: `request at most that${enough}, or add a larger node`,
  };
}

/** Moving layers to the CPU is a change only where their number was set: otherwise the engine does it. */
const alternativesOf = (request: SizingRequest): FitAlternative[] =>
  planAlternatives(request)
    .filter(({ change }) => change !== "layers" || request.deviceLayers !== undefined)
    .map(({ change, words }) => ({ change, text: words }));

export interface AssessedFit {
  readonly misfit?: Diagnosis | undefined;
  readonly fit?: MemoryFit | undefined;
}

/** The sum by term, and what makes it impossible. From a lower bound only a misfit follows. */
export function assessFit(sizing: SizingIntent | undefined): AssessedFit {
  if (sizing === undefined) return {};
  const misfit = findMisfit(sizing);
  const isSized = misfit !== undefined || sizing.isLowerBound !== true;
  return { misfit, fit: isSized ? sizeServing(sizing.request, sizing.deviceLayers) : undefined };
}

/** Weights that nothing can load: nothing is downloaded for them. What has served fits, whatever the figures say. */
export function findMisfit(intent: SizingIntent): Diagnosis | undefined {
  if (intent.hasServed) return undefined;
  return onDevices(intent) ?? onNodes(intent);
}

/** What is too large at its smallest is not a matter of quantization. */
const smallerThan = (isLowerBound: true | undefined): string =>
  isLowerBound === true ? "a smaller model" : "a smaller quantization";

function onNodes({ request, subject, field, nodeBytes, isLowerBound }: SizingIntent): Diagnosis | undefined {
  const { weightBytes } = request.model;
  if (!exceedsNodes({ weightBytes, nodeBytes })) return undefined;
  const [weights, node] = [formatMemory(weightBytes), formatMemory(nodeBytes ?? 0)];
  return {
    subject,
    cause: `No node has enough memory for the weights: ${subject} needs ${weights}, and the largest node has ${node}`,
    remedy: `use ${smallerThan(isLowerBound)}, add a node with more memory, or set ${field} if only a part is loaded`,
  };
}

function onDevices({ request, subject, isDeviceOnly, gpuField, isLowerBound }: SizingIntent): Diagnosis | undefined {
  const { devices } = request.memory;
  const [device] = devices;
  const all = devices.reduce((sum, { bytes }) => sum + bytes, 0);
  const { weightBytes } = request.model;
  if (!isDeviceOnly || device === undefined || weightBytes <= all) return undefined;
  const figures = `${devices.length} × ${device.name} with ${formatMemory(device.bytes)}`;
  return {
    subject,
    cause: `The GPUs of a replica have too little memory for the weights: ${subject} needs ${formatMemory(weightBytes)}, and a replica has ${figures}`,
    remedy: `use more or larger GPUs${gpuField === undefined ? "" : ` (${gpuField})`}, or ${smallerThan(isLowerBound)}`,
  };
}
