import type { Millis } from "@trivium/std";
import type { ServiceReason } from "../../reasons/serving.ts";
import type { ServiceStatus } from "../names/names.ts";

type Phase = NonNullable<ServiceStatus["status"]>;

/** The one state of a service and its cause. */
export interface Outcome {
  readonly status: Phase;
  readonly reason: ServiceReason;
  readonly message: string;
  /** When time alone changes it. */
  readonly recheckIn?: Millis;
}

export const outcome = (status: Phase, reason: ServiceReason, message: string): Outcome => ({
  status,
  reason,
  message,
});
