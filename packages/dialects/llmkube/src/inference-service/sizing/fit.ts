import type { MemoryShare, SizingAnswer } from "@trivium/domain";
import { formatMemory, planAlternatives, planMemory, type SizingRequest } from "@trivium/engines";
import { allLayers, type LayerPlan } from "./device-layers.ts";

/** Whether weights, cache and working memory fit what is asked for, with the sum, and what would fit instead. */
export interface FitReport {
  readonly fits: "yes" | "partly" | "no";
  readonly message: string;
}

/** Nothing where too little is known: what the file is, or how much memory there is. */
export function planFit(request: SizingRequest | undefined, layers: LayerPlan | undefined): FitReport | undefined {
  if (request === undefined) return undefined;
  const whole = planMemory(request);
  if (whole.is === "impossible") return { fits: "no", message: whole.why };
  if (layers !== undefined && layers.count < allLayers) return partlyOnGpu(request, layers.count);
  if (whole.fits === "unknown") return undefined;
  const sum = sumOf(whole);
  if (whole.fits === "yes") return { fits: "yes", message: sum };
  return { fits: "no", message: `${sum}; ${waysOf(request)}` };
}

/** It runs, and slower than it could: the sum as it is, and what it would take for more. */
function partlyOnGpu(request: SizingRequest, layers: number): FitReport {
  const answer = planMemory({ ...request, deviceLayers: layers });
  const sum = answer.is === "sized" ? sumOf(answer) : answer.why;
  const message = `${sum}. ${layers} layers run on the GPU and the rest on the CPU; to run all layers on the GPU, ${waysOf(request)}`;
  return { fits: "partly", message };
}

function waysOf(request: SizingRequest): string {
  const ways = planAlternatives(request)
    .filter(({ change }) => change !== "layers" || request.deviceLayers !== undefined)
    .map(({ words }) => words);
  return ways.length === 0 ? "use a smaller model or more memory" : `use ${anyOf(ways)}`;
}

const anyOf = (ways: readonly string[]): string =>
  ways.length < 3 ? ways.join(" or ") : `${ways.slice(0, -1).join(", ")}, or ${ways.at(-1)}`;

/** The sum in one line, each place with its terms. */
function sumOf({ shares }: Extract<SizingAnswer, { is: "sized" }>): string {
  const partOf = ({ place, times, terms, bytes, available }: MemoryShare): string => {
    const where = place === "host" ? "of memory" : times === 1 ? "of GPU memory" : `of memory on each of ${times} GPUs`;
    const of = available === undefined ? "" : `, ${formatMemory(available)} available`;
    const parts = terms.map((term) => `${term.what} ${formatMemory(term.bytes)}`).join(" + ");
    return `${formatMemory(bytes)} ${where}${of} (${parts})`;
  };
  return `Needs ${shares.map(partOf).join(" and ")}`;
}
