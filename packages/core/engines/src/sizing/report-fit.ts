import type { MemoryFit } from "@trivium/domain";
import { findCondition } from "@trivium/kube";
import { formatFit, formatSum } from "./format-fit.ts";

/** Whether a model fits, as the condition Fits shows it. */
export interface FitReport {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export interface FitContext {
  /** Nothing is created, because of it. */
  readonly isBlocked: boolean;
  /** The engine serves what the spec requests. */
  readonly isServing: boolean;
  /** What was reported for the same spec; it stands where no sum is at hand. */
  readonly before?: FitReport | undefined;
}

const loaded: FitReport = { status: "True", reason: "Fits", message: "The model is loaded, and the engine serves" };

/**
 * The condition follows what happens: False only where nothing starts because of it, be it that nothing is created or that no node can ever
 * take the pods; True where the engine serves. In between the sum is an estimate. Nothing where the sum is unknown.
 */
export function reportFit(fit: MemoryFit | undefined, context: FitContext): FitReport | undefined {
  const { isBlocked, isServing, before } = context;
  if (fit === undefined || fit.fits === "unknown") return isServing && before?.status !== "True" ? loaded : before;
  if (fit.fits === "yes") return { status: "True", reason: "Fits", message: formatFit(fit) };
  if (fit.fits === "partly") return { status: "True", reason: "PartlyOnGPU", message: formatFit(fit) };
  if (isBlocked || (fit.impossible !== undefined && !isServing))
    return { status: "False", reason: "DoesNotFit", message: formatFit(fit) };
  return isServing ? fitsInPractice(fit) : tightFit(fit);
}

const tightFit = (fit: MemoryFit): FitReport => ({
  status: "Unknown",
  reason: "TightFit",
  message: `The estimated total exceeds the available memory. ${formatFit(fit)}`,
});

const fitsInPractice = (fit: MemoryFit): FitReport =>
  fit.impossible === undefined
    ? {
        ...loaded,
        message: `${loaded.message}, although the estimated total exceeds the available memory. ${formatSum(fit)}`,
      }
    : loaded;

interface ReportedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly observedGeneration?: number | null | undefined;
}

interface Reported {
  readonly metadata: { readonly generation?: number | undefined };
  readonly status?: { readonly conditions?: readonly ReportedCondition[] | undefined } | undefined;
}

/** The object as it was before its fit was reported: what decides about it computes the sum again. */
export function withoutFit<T extends Reported>(object: T): T {
  const { status } = object;
  if (findFit(object) === undefined) return object;
  return { ...object, status: { ...status, conditions: status?.conditions?.filter(({ type }) => type !== "Fits") } };
}

/** The condition Fits, where it is about the spec as it is now. */
export function findFit({ metadata, status }: Reported): FitReport | undefined {
  const before = findCondition(status?.conditions, "Fits");
  if (before === undefined || metadata.generation === undefined || before.observedGeneration !== metadata.generation)
    return undefined;
  const { status: found, reason = "", message = "" } = before;
  return { status: found as FitReport["status"], reason, message };
}
