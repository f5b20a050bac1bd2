import type { DecidedCondition } from "@trivium/kube";
import type { ServiceCondition } from "../../reasons.ts";

export const say = (
  type: ServiceCondition,
  status: "True" | "False" | "Unknown",
  { reason, message }: { reason: string; message: string },
): DecidedCondition => ({ type, status, reason, message });

/** The condition of each component. */
export const conditionOf = { engine: "EngineReady", decoder: "DecoderReady", router: "RouterReady" } as const;
