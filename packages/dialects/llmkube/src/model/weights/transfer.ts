import type { Diagnosis, DownloadProgress, TaskReport } from "@trivium/domain";
import {
  classifyTransfer,
  diagnoseTransfer,
  formatDiagnosis,
  parseDigest,
  parseProgress,
  type TransferFault,
} from "@trivium/engines";
import { modelPaths } from "../../field-paths.ts";
import type { ModelReason } from "../../reasons.ts";
import { isPermanent, type ObservedFetch } from "../observed/pod-fetches.ts";

/** What pods found out about weights that only they download, in the words of the engines. Pods that wait prove nothing. */
export function reportsOf(fetches: readonly ObservedFetch[]): TaskReport<ModelReason>[] {
  return fetches.flatMap((fetch): TaskReport<ModelReason>[] => {
    const by = `Pod ${fetch.pod}`;
    switch (fetch.state) {
      case "done":
        return [{ by, state: "done" }];
      case "running":
        return [{ by, state: "running", progress: progressOf(fetch) }];
      case "failed":
        return [{ by, state: "failed", ...failureOf(fetch) }];
      default:
        return [];
    }
  });
}

function failureOf(fetch: ObservedFetch): Pick<TaskReport<ModelReason>, "isFinal" | "fault"> {
  const { fault, reason, diagnosis } = faultOf(fetch);
  const message = formatDiagnosis(diagnosis);
  if (isPermanent(fetch.exitCode)) return { isFinal: true, fault: { reason, message } };
  // A source that does not respond is asked again anyway, and its remedy says so.
  const retried = fault === "unreachable" ? message : `${message}; retrying automatically`;
  return { fault: { reason: "DownloadRetrying", message: retried } };
}

/** The digest that a download reported. */
export function digestOf(fetches: readonly ObservedFetch[]): string | undefined {
  return fetches.flatMap(({ state, log }) =>
    state === "done" && log?.is === "known" ? (parseDigest(log.value) ?? []) : [],
  )[0];
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

const progressOf = ({ log }: ObservedFetch): DownloadProgress | undefined =>
  log?.is === "known" ? parseProgress(log.value) : undefined;
