import type { ServingIntent, ServingPlan } from "@trivium/domain";
import { reportHealth } from "./health/index.ts";

/** From what is wanted and seen to what should be and how far it is. */
export function serve(intent: ServingIntent): ServingPlan {
  const { pods: _, refused: __, now: ___, ...wanted } = intent;
  return { ...wanted, health: reportHealth(intent) };
}
