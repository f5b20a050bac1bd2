import type { Diagnosis } from "@trivium/domain";
import {
  classifyTransfer,
  diagnoseTransfer,
  formatDiagnosis,
  formatMemory,
  parseDigest,
  parseProgress,
  type TransferFault,
} from "@trivium/engines";
import { modelPaths } from "../../field-paths.ts";
import type { ModelReason } from "../../reasons.ts";
import type { ModelOutcome } from "../lower.ts";
import { isPermanent, type ObservedFetch } from "../observed/pod-fetches.ts";

type Ready = Extract<ModelOutcome, { is: "ready" }>;

/** What pods found out about weights that only they fetch: the Model passes it on. */
export function followPods(resolved: Ready, fetches: readonly ObservedFetch[]): ModelOutcome {
  const done = fetches.find(({ state }) => state === "done");
  if (done !== undefined) return withDigest(resolved, fetches);
  const failed = fetches.find(({ state, exitCode }) => state === "failed" && isPermanent(exitCode));
  if (failed !== undefined) {
    const { reason, diagnosis } = faultOf(failed);
    return { is: "failed", reason, message: formatDiagnosis(diagnosis), resolved };
  }
  const running = fetches.find(({ state }) => state === "running");
  if (running !== undefined) return { ...downloading, resolved, reason: "DownloadStarted", ...progressOf(running) };
  const stumbled = fetches.find(({ state }) => state === "failed");
  if (stumbled === undefined) return resolved;
  const { fault, diagnosis } = faultOf(stumbled);
  // A source that does not respond is asked again anyway, and its remedy says so.
  const message = `${formatDiagnosis(diagnosis)}${fault === "unreachable" ? "" : "; retrying automatically"}`;
  return { ...downloading, resolved, reason: "DownloadRetrying", message };
}

const downloading = { is: "waiting", phase: "Downloading" } as const;

function withDigest(resolved: Ready, fetches: readonly ObservedFetch[]): Ready {
  const digest = fetches.flatMap(({ state, log }) =>
    state === "done" && log?.is === "known" ? (parseDigest(log.value) ?? []) : [],
  )[0];
  return digest === undefined ? resolved : { ...resolved, place: { ...resolved.place, digest } };
}

const reasons: Readonly<Partial<Record<TransferFault, ModelReason>>> = {
  missing: "SourceNotFound",
  unauthorized: "SourceUnauthorized",
  corrupt: "IntegrityCheckFailed",
};

interface TransferReport {
  readonly fault: TransferFault;
  readonly reason: ModelReason;
  readonly diagnosis: Diagnosis;
}

/** Why a download failed, and what to do: the same as in the status of the service. */
function faultOf({ pod, message = "", exitCode, claim }: ObservedFetch): TransferReport {
  const fault = classifyTransfer(exitCode, message);
  const cause = `Pod ${pod} cannot download the weights: ${message.replace(/[.\s]+$/, "") || `exit code ${exitCode}`}`;
  const context = { paths: modelPaths, claim: claim === undefined ? undefined : { name: claim } };
  return {
    fault,
    reason: reasons[fault] ?? "DownloadFailed",
    diagnosis: diagnoseTransfer(fault, { subject: `Pod ${pod}`, cause }, context),
  };
}

/** Whole percents only: rate and time left are in the status of the service, and this repeats in every service. */
function progressOf({ pod, log }: ObservedFetch): { message: string; event: string } {
  const { bytesTotal, percent } = (log?.is === "known" ? parseProgress(log.value) : undefined) ?? {};
  const far = bytesTotal === undefined ? "" : `: ${percent}% of ${formatMemory(bytesTotal)}`;
  const event = `Pod ${pod} is downloading the weights`;
  return { message: `${event}${far}`, event };
}
