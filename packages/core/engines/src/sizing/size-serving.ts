import type { Diagnosis, FitAlternative, MemoryFit, SizingIntent, SizingRequest } from "@trivium/domain";
import { exceedsNodes } from "./node-memory.ts";
import { planAlternatives } from "./plan-alternatives.ts";
import { planMemory } from "./plan-memory.ts";
import { formatMemory } from "./summarize-memory.ts";

/**
 * Whether a model fits, the sum by term and place, and each single change that would make it fit. `deviceLayers` are the layers that were
 * put on the devices because not all of them fit.
 */
export function sizeServing(request: SizingRequest, deviceLayers?: number): MemoryFit {
  const whole = planMemory(request);
  if (whole.is === "impossible") return { fits: "no", shares: [], bytes: 0, alternatives: [], impossible: whole.why };
  const alternatives = alternativesOf(request);
  if (deviceLayers === undefined) return { fits: whole.fits, shares: whole.shares, bytes: whole.bytes, alternatives };
  const partly = planMemory({ ...request, deviceLayers });
  const { shares, bytes } = partly.is === "sized" ? partly : whole;
  return { fits: "partly", shares, bytes, alternatives, deviceLayers };
}

/** Moving layers to the CPU is a change only where their number was set: otherwise the engine does it. */
const alternativesOf = (request: SizingRequest): FitAlternative[] =>
  planAlternatives(request)
    .filter(({ change }) => change !== "layers" || request.deviceLayers !== undefined)
    .map(({ change, words }) => ({ change, text: words }));

/** Weights that no node can load into its memory: nothing is fetched for them. What has served fits, whatever the figures say. */
export function findMisfit({ request, subject, field, nodeBytes, hasServed }: SizingIntent): Diagnosis | undefined {
  const { weightBytes } = request.model;
  if (hasServed || !exceedsNodes({ weightBytes, nodeBytes })) return undefined;
  const [weights, node] = [formatMemory(weightBytes), formatMemory(nodeBytes ?? 0)];
  return {
    subject,
    cause: `No node has enough memory for the weights: ${subject} needs ${weights}, and the largest node has ${node}`,
    remedy: `use a smaller quantization, add a node with more memory, or set ${field} if only a part is loaded`,
  };
}
