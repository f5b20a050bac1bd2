import type { MemoryFit } from "@trivium/domain";
import { formatFit } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Judgement } from "../health/judge.ts";

export const fitReasons = { yes: "Fits", partly: "PartlyOnGPU", no: "DoesNotFit" } as const;

export function fits({ fit, cause, health }: Judgement): DecidedCondition[] {
  // That it fits what is requested helps nobody where no node has so much.
  const isBeyondNodes = cause?.reason === "NoNodeFits" && health.failure?.lacking?.includes("memory") === true;
  return isBeyondNodes ? [] : fitCondition(fit);
}

/** The sum by term, and what would fit; nothing where it could not be computed. */
export function fitCondition(fit: MemoryFit | undefined): DecidedCondition[] {
  if (fit === undefined || fit.fits === "unknown") return [];
  const status = fit.fits === "no" ? "False" : "True";
  return [{ type: "Fits", status, reason: fitReasons[fit.fits], message: formatFit(fit) }];
}
