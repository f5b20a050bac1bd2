import type { Fact } from "@trivium/std";
import type { ObservedPod } from "./observed-pod.ts";

/** A pod that serves a model. */
export interface ServingPod extends ObservedPod {
  /** The models that its server lists; nothing for servers that list none. */
  readonly listed?: Fact<readonly string[]>;
}
