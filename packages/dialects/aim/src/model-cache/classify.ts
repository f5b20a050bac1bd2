import type { ContainerEnd, PodSeen } from "@trivium/domain";
import { tellUnschedulable } from "@trivium/engines";
import type { DownloadReason } from "../words/serving.ts";
import type { JobSeen } from "./observe.ts";

export interface DownloadFault {
  readonly reason: DownloadReason;
  readonly message: string;
}

/** Exit codes of `trivium-weights`. */
const byExitCode: Readonly<Record<number, DownloadReason>> = {
  3: "SourceNotFound",
  4: "AuthError",
  5: "VerificationFailed",
  6: "StorageFull",
  7: "SourceUnreachable",
};

/** What other programs that fetch say; the first that matches. */
const byWords: readonly [RegExp, DownloadReason][] = [
  [/no space|ENOSPC|quota exceeded/i, "StorageFull"],
  [/\b40[13]\b|unauthorized|forbidden|gated|invalid.{0,10}token|signature/i, "AuthError"],
  [/\b404\b|not found|NoSuchKey|NoSuchBucket/i, "SourceNotFound"],
  [/resolve|refused|timed? ?out|unreachable|ECONN/i, "SourceUnreachable"],
];

const remedies: Partial<Record<DownloadReason, string>> = {
  AuthError: "give a token that may read it, in env from a Secret",
  SourceNotFound: "correct sourceUri",
  StorageFull: "ask for a larger size, or more headroom",
  SourceUnreachable: "see that the nodes reach it",
  PodOOMKilled: "the download took more memory than the node has left",
};

/** Why a download failed, from what its pods left behind: one reason and what to do. */
export function classifyFailure(pods: readonly PodSeen[]): DownloadFault {
  const ends = pods.flatMap(({ containers }) =>
    containers.flatMap(({ state }) => (state.is === "ended" && state.exitCode !== 0 ? [state] : [])),
  );
  const last = ends.at(-1);
  if (last === undefined) {
    const lost = pods.find(({ failure }) => failure !== undefined)?.failure;
    return { reason: "DownloadFailed", message: lost ?? "The download failed and left no word" };
  }
  const words = wordsOf(last);
  const reason = reasonOf(last, words);
  const remedy = remedies[reason];
  return { reason, message: remedy === undefined ? words : `${words.replace(/[.\s]+$/, "")}; ${remedy}` };
}

function reasonOf({ exitCode, reason }: ContainerEnd, words: string): DownloadReason {
  if (reason === "OOMKilled") return "PodOOMKilled";
  return byExitCode[exitCode] ?? byWords.find(([pattern]) => pattern.test(words))?.[1] ?? "DownloadFailed";
}

const stoppedCode = 130;

/** Somebody ended it: the node went down, or its pod was taken away. The download is not to blame. */
export function wasAskedToStop(pods: readonly PodSeen[]): boolean {
  const ends = pods.flatMap(({ containers }) =>
    containers.flatMap(({ state }) => (state.is === "ended" ? [state] : [])),
  );
  return (
    ends.length > 0 && ends.every(({ exitCode, message }) => exitCode === stoppedCode && /"Stopped"/.test(message))
  );
}

/** `trivium-weights` ends with a line of JSON that has a sentence for people. */
function wordsOf({ exitCode, message }: ContainerEnd): string {
  const at = message.lastIndexOf('{"event":"error"');
  try {
    const said = at === -1 ? {} : (JSON.parse(message.slice(at)) as { message?: unknown });
    if (typeof said.message === "string") return said.message;
  } catch {
    // What cannot be read is shown as it is.
  }
  return message === "" ? `The download ended with exit code ${exitCode}` : message;
}

const denied = /unauthorized|authentication|\b40[13]\b|forbidden|denied/i;
const missing = /not found|\b404\b|manifest unknown/i;

/** What is wrong with a download that is not over; nothing while it only needs time. */
export function classifyRunning({ pods, warning }: Pick<JobSeen, "pods" | "warning">): DownloadFault | undefined {
  const isRunning = pods.some(({ containers }) => containers.some(({ state }) => state.is === "running"));
  if (isRunning) return undefined;
  const failed = pods.filter(({ phase }) => phase === "Failed");
  return classifyWaiting(pods) ?? (failed.length === 0 ? warned(warning) : classifyFailure(failed));
}

/** Words of the node about a pod that has no containers yet. */
const nodeReasons = ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedScheduling"] as const;

function warned(warning: JobSeen["warning"]): DownloadFault | undefined {
  if (warning?.is !== "known") return undefined;
  const { reason: said, message } = warning.value;
  const reason = nodeReasons.find((one) => one === said);
  if (reason === undefined) return undefined;
  return { reason, message: reason === "FailedScheduling" ? tellUnschedulable(message) : message.slice(0, 500) };
}

/** What keeps a download from starting. */
export function classifyWaiting(pods: readonly PodSeen[]): DownloadFault | undefined {
  for (const { unschedulable, containers } of pods) {
    if (unschedulable !== undefined) return { reason: "FailedScheduling", message: tellUnschedulable(unschedulable) };
    for (const { state } of containers) {
      const fault = state.is === "waiting" ? waitingFault(state) : undefined;
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function waitingFault({
  reason: said,
  message: words,
}: {
  reason: string;
  message: string;
}): DownloadFault | undefined {
  const message = words || said;
  // A Secret of its variables, most often; it is created at once when that comes.
  if (said === "CreateContainerConfigError") return { reason: said, message: `${message}; create what env refers to` };
  if (!/Image|Pull/.test(said)) return undefined;
  const reason = denied.test(message)
    ? "ImagePullAuthFailure"
    : missing.test(message)
      ? "ImageNotFound"
      : "ImagePullBackOff";
  return { reason, message };
}
