import type { api } from "@trivium/kube";
import type { ClassInput } from "./apply-class.ts";
import { effectsOf } from "./class-effects.ts";

type Placement = Pick<api.PodSpec, "nodeSelector" | "affinity">;

/** Where pods of a class run: as its discovery says, which wins over the runtime. */
export function placePod(pod: Placement, { service, component, accelerator }: ClassInput): Placement {
  if (component === "router" || accelerator === undefined) return {};
  const { nodeSelector, affinity } = effectsOf(service, component, accelerator);
  return {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector: { ...pod.nodeSelector, ...nodeSelector } }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}
