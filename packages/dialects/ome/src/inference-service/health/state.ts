import type { Failure } from "@trivium/domain";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ComponentName } from "../roles/component.ts";

export type ComponentStatus = NonNullable<NonNullable<InferenceService["status"]>["components"]>[string];

/** How a component does. */
export interface ComponentState {
  readonly component: ComponentName;
  readonly isReady: boolean;
  readonly condition: DecidedCondition;
  /** What else is said of it, without being part of whether it is ready. */
  readonly details?: readonly DecidedCondition[];
  readonly failure?: Failure | undefined;
  /** No node has what it serves. */
  readonly waitsForModel?: true;
  readonly shown: ComponentStatus;
}
