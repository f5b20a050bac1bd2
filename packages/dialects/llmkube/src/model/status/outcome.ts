import type { DownloadProgress, PreparationStep, Prepared, TaskReport } from "@trivium/domain";
import { formatProgress, keepProgress } from "@trivium/engines";
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
      readonly download?: DownloadProgress | undefined;
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
  { fetches, reported }: Pick<ObservedModel, "fetches"> & { readonly reported: DownloadProgress | undefined },
): ModelOutcome {
  if (lowered.is === "unknown" || prepared === undefined || prepared.is === "unresolved") return { is: "unknown" };
  const { resolved } = lowered;
  switch (prepared.is) {
    case "ready":
      return resolved === undefined ? { is: "unknown" } : { is: "ready", ...withDigest(resolved, digestOf(fetches)) };
    case "blocked":
      return { is: "failed", ...prepared.fault, resolved: prepared.step === "volume" ? undefined : resolved };
    case "preparing":
      return raiseWaiting(lowered, prepared, reported);
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
  reported: DownloadProgress | undefined,
): ModelOutcome {
  const is = "waiting";
  const phase = phases[step];
  const [download] = running ?? [];
  if (fault === undefined && download !== undefined)
    return { is, phase, resolved, reason: "DownloadStarted", ...describeDownload(download, reported) };
  const { claim, phase: bound } = intent.volume ?? {};
  const unbound = `Waiting for PersistentVolumeClaim ${claim} to be bound (${bound})`;
  const { reason, message } = fault ?? ({ reason: "PVCNotBound", message: unbound } as const);
  // Nothing is promised of a claim without a volume, or of a file that is not verified.
  const isPromised = step === "source" || step === "transfer";
  return { is, phase, reason, message, ...(isPromised ? { resolved } : {}) };
}

/** The Event has no figures: it would be another one with every percent. */
function describeDownload(
  { by, progress }: TaskReport,
  reported: DownloadProgress | undefined,
): Pick<Extract<ModelOutcome, { is: "waiting" }>, "message" | "event" | "download"> {
  const event = `${by} is downloading the weights`;
  if (progress === undefined) return { message: event, event };
  const download = keepProgress(reported, progress);
  return { message: `${event}: ${formatProgress(download)}`, event, download };
}
