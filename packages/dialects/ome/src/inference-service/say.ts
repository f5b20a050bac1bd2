import type { DecidedCondition } from "@trivium/kube";
import type { ServiceCondition } from "../words.ts";

export const say = (
  type: ServiceCondition,
  status: "True" | "False" | "Unknown",
  { reason, message }: { reason: string; message: string },
): DecidedCondition => ({ type, status, reason, message });
