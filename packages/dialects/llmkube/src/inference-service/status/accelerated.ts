import type { DecidedCondition } from "@trivium/kube";
import type { Judgement } from "../health/judge.ts";

export const notAccelerated =
  "The engine runs no layer on the requested GPU: its image is built without GPU support, or gpu.layers is 0; set spec.image to a build for this GPU, or raise hardware.gpu.layers of the Model";

/** A GPU that was requested and does nothing is found out here and nowhere else. */
export function accelerated({ acceleration, phase }: Judgement): DecidedCondition[] {
  if (acceleration?.layersOffloaded !== 0 || phase !== "Ready") return [];
  return [{ type: "Degraded", status: "True", reason: "NotAccelerated", message: notAccelerated }];
}
