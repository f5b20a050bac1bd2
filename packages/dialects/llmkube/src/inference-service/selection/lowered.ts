import type { Choice, MemoryFit, ServingIntent } from "@trivium/domain";
import type { PromptCachePlan, ServingAnnotations } from "@trivium/engines";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import type { Model } from "../../kinds/model.ts";
import type { LlmkubeOptions } from "../../options.ts";
import type { ServiceReason } from "../../reasons.ts";
import type { Engine } from "../pod/engines/index.ts";
import type { RolloutPlan } from "../roles/rollout.ts";
import type { ServingMode } from "../traffic/serving-mode.ts";
import type { StoragePlan } from "../weights/storage.ts";

/** Nothing can be created as things are; what runs stays. */
export interface Blocked {
  readonly is: "blocked";
  readonly phase: "Failed" | "Pending";
  readonly reason: ServiceReason | "Pending";
  readonly message: string;
  readonly isModelReady: boolean;
  /** The weights do not fit where they would be stored. */
  readonly lacksSpace?: true;
  /** What it needs by term, where that is known. */
  readonly fit?: MemoryFit | undefined;
  /** The image, where one was looked for. */
  readonly choice?: Choice | undefined;
}

/** What pods can be planned for: Models that are ready, the engine, and its GPUs. */
export interface Candidate {
  readonly is: "candidate";
  readonly model: Model;
  readonly draft: Model | undefined;
  readonly engine: Engine;
  readonly gpu: GpuPlan;
  /** What annotations request. */
  readonly asked: ServingAnnotations;
  readonly promptCache: PromptCachePlan | undefined;
}

export type LoweredCandidates =
  /** What the Model reports is about an older spec. */
  | { readonly is: "unresolved" }
  | Blocked
  /** A Mac serves it; nothing of ours runs. */
  | { readonly is: "metal" }
  | Candidate;

/** A service as all dialects describe it, and what only this dialect's status reports. */
export interface Intended {
  readonly is: "intended";
  readonly intent: ServingIntent;
  readonly model: Model;
  readonly gpu: GpuPlan;
  readonly mode: ServingMode;
  readonly storage: StoragePlan;
  readonly rollout: RolloutPlan;
  readonly asked: ServingAnnotations;
  readonly promptCache: PromptCachePlan | undefined;
  readonly engineLimits: LlmkubeOptions["engineLimits"];
}

export const failed = (reason: ServiceReason, message: string, isModelReady = true): Blocked => ({
  is: "blocked",
  phase: "Failed",
  reason,
  message,
  isModelReady,
});
