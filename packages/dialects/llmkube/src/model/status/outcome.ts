import type { PreparationStep, Prepared, TaskReport } from "@trivium/domain";
import { formatMemory } from "@trivium/engines";
import type { ModelReason } from "../../reasons.ts";
import type { LoweredModel, Resolved } from "../lower.ts";
import type { ObservedModel } from "../observe.ts";
import { digestOf } from "../weights/transfer.ts";

/** What can be said of a Model now. */
export type ModelOutcome =
  | ({ readonly is: "ready" } & Resolved)
  | {
      readonly is: "waiting";
      readonly phase: "Pending" | "Copying" | "Downloading";
      readonly reason: ModelReason;
      readonly message: string;
      /** What the Event reports, where the message changes with every percent. */
      readonly event?: string;
      readonly resolved?: Resolved | undefined;
    }
  | {
      readonly is: "failed";
      readonly reason: ModelReason;
      readonly message: string;
      readonly resolved?: Resolved | undefined;
    }
  /** A fact is not there yet, so what was reported before stands. */
  | { readonly is: "unknown" };

/** What the steps of the middle came to, in the words of this API. */
export function raiseOutcome(
  lowered: LoweredModel,
  prepared: Prepared<ModelReason> | undefined,
  { fetches }: ObservedModel,
): ModelOutcome {
  if (lowered.is === "unknown" || prepared === undefined || prepared.is === "unresolved") return { is: "unknown" };
  const { resolved } = lowered;
  switch (prepared.is) {
    case "ready":
      return resolved === undefined ? { is: "unknown" } : { is: "ready", ...withDigest(resolved, digestOf(fetches)) };
    case "blocked":
      return { is: "failed", ...prepared.fault, resolved: prepared.step === "volume" ? undefined : resolved };
    case "preparing":
      return raiseWaiting(lowered, prepared);
  }
}

const withDigest = (resolved: Resolved, digest: string | undefined): Resolved =>
  digest === undefined ? resolved : { ...resolved, place: { ...resolved.place, digest } };

const phases: Readonly<Record<PreparationStep, "Pending" | "Copying" | "Downloading">> = {
  request: "Pending",
  source: "Pending",
  space: "Pending",
  volume: "Pending",
  inspection: "Copying",
  transfer: "Downloading",
};

function raiseWaiting(
  { intent, resolved }: Extract<LoweredModel, { is: "intended" }>,
  { step, fault, running }: Extract<Prepared<ModelReason>, { is: "preparing" }>,
): ModelOutcome {
  const is = "waiting";
  const phase = phases[step];
  const [download] = running ?? [];
  if (fault === undefined && download !== undefined)
    return { is, phase, resolved, reason: "DownloadStarted", ...describeDownload(download) };
  const { claim, phase: bound } = intent.volume ?? {};
  const unbound = `Waiting for PersistentVolumeClaim ${claim} to be bound (${bound})`;
  const { reason, message } = fault ?? ({ reason: "PVCNotBound", message: unbound } as const);
  // Nothing is promised of a claim without a volume, or of a file that is not verified.
  const isPromised = step === "source" || step === "transfer";
  return { is, phase, reason, message, ...(isPromised ? { resolved } : {}) };
}

/** Whole percents only: rate and time left are in the status of the service, and this repeats in every service. */
function describeDownload({ by, progress }: TaskReport): { message: string; event: string } {
  const { bytesTotal, percent } = progress ?? {};
  const far = bytesTotal === undefined ? "" : `: ${percent}% of ${formatMemory(bytesTotal)}`;
  const event = `${by} is downloading the weights`;
  return { message: `${event}${far}`, event };
}
