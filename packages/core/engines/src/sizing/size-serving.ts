import type { Diagnosis, MemoryFit, SizingIntent, SizingRequest } from "@trivium/domain";
import { exceedsNodes } from "./node-memory.ts";
import { planAlternatives } from "./plan-alternatives.ts";
import { planMemory } from "./plan-memory.ts";
import { formatMemory } from "./summarize-memory.ts";

/** Whether a model fits, the sum by term and place, and each single change that would make it fit. */
export function sizeServing(request: SizingRequest): MemoryFit {
  const answer = planMemory(request);
  if (answer.is === "impossible") return { fits: "no", shares: [], bytes: 0, alternatives: [], impossible: answer.why };
  const { fits, shares, bytes } = answer;
  const alternatives = planAlternatives(request).map(({ change, words }) => ({ change, text: words }));
  return { fits, shares, bytes, alternatives };
}

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
