import type { WeightsIntent } from "@trivium/domain";
import type { CachePlan } from "./cache-plan.ts";

/** Where the weights are. A cache that failed or is filled again does not take down what runs. */
export function lowerWeights(cache: CachePlan): WeightsIntent {
  if (cache.is === "cached" || cache.is === "temporary") return { is: "placed" };
  return {
    is: "downloading",
    what: cache.cache === undefined ? "the weights" : `AIMTemplateCache ${cache.cache.name}`,
  };
}
