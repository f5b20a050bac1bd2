import { planDeviceLayers, planMemory, type SizingRequest } from "@trivium/engines";
import { canonicalJson, shortHash } from "@trivium/std";
import type { Model } from "../kinds/model.ts";
import type { DeploymentSeen } from "./deployment-seen.ts";

/** How many layers go on the GPU, and the question that this answers. */
export interface LayerPlan {
  readonly count: number;
  readonly sizedFor: string;
}

/**
 * As many layers as fit, where not all do; nothing where all do or nobody knows. What was chosen stands until the question is another:
 * a node that comes or goes, or a header that cannot be read just now, starts no pod anew.
 */
export function planLayers(
  { spec }: Model,
  request: SizingRequest | undefined,
  live: DeploymentSeen | undefined,
): LayerPlan | undefined {
  const wish = spec.hardware?.gpu?.layers ?? -1;
  if (wish >= 0) return undefined;
  if (request === undefined) return live?.layers;
  if (request.memory.devices.length === 0) return undefined;
  const { memory: _, ...question } = request;
  const sizedFor = shortHash(canonicalJson(question as never));
  if (live?.layers?.sizedFor === sizedFor) return live.layers;
  const whole = planMemory(request);
  if (whole.is === "impossible" || whole.fits !== "no") return undefined;
  const count = planDeviceLayers(request);
  return count === 0 ? undefined : { count, sizedFor };
}
