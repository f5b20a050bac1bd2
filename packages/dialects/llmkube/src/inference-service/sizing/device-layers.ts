import { planDeviceLayers, planMemory, type SizingRequest } from "@trivium/engines";
import { canonicalJson, shortHash } from "@trivium/std";
import type { Model } from "../../kinds/model.ts";
import type { ObservedDeployment } from "../observed/deployment.ts";

/** More layers than any model has: all of them. */
export const allLayers = 99;

/** How many layers go on the GPU, and the question that this answers. */
export interface LayerPlan {
  readonly count: number;
  readonly sizedFor: string;
}

/**
 * All layers, or as many as fit; nothing where nobody knows. What was chosen stands until the question is another: a node that comes
 * or goes or loses its labels, or a header that cannot be read just now, starts no pod anew.
 */
export function planLayers(
  { spec }: Model,
  request: SizingRequest | undefined,
  live: ObservedDeployment | undefined,
): LayerPlan | undefined {
  const layers = spec.hardware?.gpu?.layers ?? -1;
  if (layers >= 0) return undefined;
  if (request === undefined) return live?.layers;
  if (request.memory.devices.length === 0) return undefined;
  const sizedFor = hashQuestion(request);
  if (live?.layers?.sizedFor === sizedFor) return live.layers;
  const count = fittingLayers(request);
  return live?.layers?.count === count ? live.layers : { count, sizedFor };
}

/** Without what was learned of engines since: pods that serve keep their layers when Trivium is upgraded. */
function hashQuestion({ memory: _, style, ...input }: SizingRequest): string {
  const { keepsTokenTable: _table, flashHeads: _heads, ...asBefore } = style;
  return shortHash(canonicalJson({ ...input, style: asBefore } as never));
}

/** Where not even one fits, a smaller number would not help. */
function fittingLayers(request: SizingRequest): number {
  const whole = planMemory(request);
  if (whole.is === "impossible" || whole.fits !== "no") return allLayers;
  return planDeviceLayers(request) || allLayers;
}
