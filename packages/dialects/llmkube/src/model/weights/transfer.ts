import { formatMemory, parseDigest, parseProgress } from "@trivium/engines";
import type { ModelReason } from "../../reasons.ts";
import type { ModelOutcome } from "../lower.ts";
import { isPermanent, type ObservedFetch } from "../observed/pod-fetches.ts";

type Ready = Extract<ModelOutcome, { is: "ready" }>;

/** What pods found out about weights that only they fetch: the Model passes it on. */
export function followPods(resolved: Ready, fetches: readonly ObservedFetch[]): ModelOutcome {
  const done = fetches.find(({ state }) => state === "done");
  if (done !== undefined) return withDigest(resolved, fetches);
  const failed = fetches.find(({ state, exitCode }) => state === "failed" && isPermanent(exitCode));
  if (failed !== undefined)
    return { is: "failed", reason: reasonOf(failed), message: `${sentenceOf(failed)}; ${remedyOf(failed)}`, resolved };
  const running = fetches.find(({ state }) => state === "running");
  if (running !== undefined) return { ...downloading, resolved, reason: "DownloadStarted", ...progressOf(running) };
  const stumbled = fetches.find(({ state }) => state === "failed");
  if (stumbled === undefined) return resolved;
  const message = `${sentenceOf(stumbled)}; retrying automatically`;
  return { ...downloading, resolved, reason: "DownloadRetrying", message };
}

const downloading = { is: "waiting", phase: "Downloading" } as const;

function withDigest(resolved: Ready, fetches: readonly ObservedFetch[]): Ready {
  const digest = fetches.flatMap(({ state, log }) =>
    state === "done" && log?.is === "known" ? (parseDigest(log.value) ?? []) : [],
  )[0];
  return digest === undefined ? resolved : { ...resolved, place: { ...resolved.place, digest } };
}

const reasons: Readonly<Record<number, ModelReason>> = {
  3: "SourceNotFound",
  4: "SourceUnauthorized",
  5: "IntegrityCheckFailed",
};

const reasonOf = ({ exitCode = 0 }: ObservedFetch): ModelReason => reasons[exitCode] ?? "DownloadFailed";

const sentenceOf = ({ pod, message, exitCode }: ObservedFetch): string =>
  `Pod ${pod} cannot download the weights: ${message || `exit code ${exitCode}`}`;

const remedies = {
  SourceNotFound: "correct spec.source or spec.files",
  SourceUnauthorized: "add HF_TOKEN from a Secret to spec.env of the InferenceService",
  IntegrityCheckFailed: "correct spec.sha256 or spec.source",
} as const;

const remedyOf = (fetch: ObservedFetch): string => {
  const reason = reasonOf(fetch);
  return Object.hasOwn(remedies, reason) ? remedies[reason as keyof typeof remedies] : "correct spec.source";
};

/** Whole percents only: rate and time left are in the status of the service, and this repeats in every service. */
function progressOf({ pod, log }: ObservedFetch): { message: string; event: string } {
  const { bytesTotal, percent } = (log?.is === "known" ? parseProgress(log.value) : undefined) ?? {};
  const far = bytesTotal === undefined ? "" : `: ${percent}% of ${formatMemory(bytesTotal)}`;
  const event = `Pod ${pod} is downloading the weights`;
  return { message: `${event}${far}`, event };
}
