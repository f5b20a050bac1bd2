import type { WorkloadIntent } from "@trivium/domain";
import type { SizingRequest } from "@trivium/engines";
import type { Fact } from "@trivium/std";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import type { Model } from "../../kinds/model.ts";
import type { ServiceReason } from "../../reasons.ts";
import type { LayerPlan } from "../sizing/device-layers.ts";
import type { ServingMode } from "../traffic/serving-mode.ts";
import type { StoragePlan } from "../weights/storage.ts";

/** What a service comes to. */
export type LoweredService =
  /** A fact has not come yet. */
  | { readonly is: "unknown" }
  /** Nothing can be made yet, or ever, as things are; what runs stays. */
  | {
      readonly is: "blocked";
      readonly phase: "Failed" | "Pending";
      readonly reason: ServiceReason | "Pending";
      readonly message: string;
      readonly isModelReady: boolean;
    }
  /** A Mac serves it; nothing of ours runs. */
  | { readonly is: "metal" }
  | {
      readonly is: "intended";
      readonly intent: WorkloadIntent;
      readonly gpu: GpuPlan;
      readonly mode: ServingMode;
      readonly model: Model;
      readonly storage: StoragePlan;
      /** The question whether it fits, where enough is known to ask it. */
      readonly sizing: SizingRequest | undefined;
      readonly layers: LayerPlan | undefined;
    };

export type Blocked = Extract<LoweredService, { is: "blocked" }>;
export const failed = (reason: ServiceReason, message: string, isModelReady = true): Blocked => ({
  is: "blocked",
  phase: "Failed",
  reason,
  message,
  isModelReady,
});
export const unknown = { is: "unknown" } as const;

/** Whether a fact says nothing now. */
export const isUnresolved = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";
