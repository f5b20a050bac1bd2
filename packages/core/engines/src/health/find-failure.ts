import type { ContainerEnd, Failure, FailureKind, ObservedContainer, ObservedPod } from "@trivium/domain";
import type { Instant, Millis } from "@trivium/std";
import { classifyCrash } from "./diagnosis/classify-crash.ts";
import { classifyImage } from "./diagnosis/classify-image.ts";
import { lackingResources } from "./diagnosis/describe-unschedulable.ts";
import { lastLogLine } from "./last-log-line.ts";
import { readProbe } from "./pods/read-probe.ts";

const imageReasons = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];
const configurationReasons = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"];
/** What our own node says of a container for a GPU when no build of its engine can use that. */
const engineReason = "EngineBuildMissing";
/** What a node warns of before a pod has containers. */
const mountReasons = ["FailedMount", "FailedAttachVolume", "FailedMapVolume"];
const sandboxReasons = ["FailedCreatePodSandBox", "FailedCreatePodContainer"];

/** Some causes explain others, so the first of these is the one that is named. */
const gravity: readonly FailureKind[] = [
  "memory",
  "crash",
  "configuration",
  "engine",
  "image",
  "volume",
  "evicted",
  "unschedulable",
  "unhealthy",
  "refused",
];

/**
 * The one cause to name, of all pods; nothing when they only need time. `refused` is what the controller of the pods says of pods that
 * it cannot create. With `now`, what may pass is a failure once a start has taken too long.
 */
export function findFailure(pods: readonly ObservedPod[], refused?: string, now?: Instant): Failure | undefined {
  const failures = pods
    .filter(({ isLeaving }) => !isLeaving)
    .flatMap(failuresOf)
    .map((one) => timed(one, now));
  const rank = ({ kind, isPassing }: Failure): number => gravity.indexOf(kind) + (isPassing ? gravity.length : 0);
  const due = ({ failsAt = Number.POSITIVE_INFINITY }: Failure): number => failsAt;
  const [first] = failures.sort((a, b) => rank(a) - rank(b) || Math.sign(due(a) - due(b)) || (a.pod < b.pod ? -1 : 1));
  if (first !== undefined && !first.isPassing) return first;
  return refused ? { kind: "refused", pod: "", message: refused } : first;
}

/** As long as Kubernetes gives a Deployment to make progress. */
export const startDeadline: Millis = 600_000;

function timed(failure: Failure, now: Instant | undefined): Failure {
  const { failsAt, isPassing: _, ...rest } = failure;
  return failsAt === undefined || now === undefined || now < failsAt ? failure : { ...rest, isOverdue: true };
}

/** How long until what may pass counts as a failure. */
export const untilFailure = (failure: Failure | undefined, now: Instant): Millis | undefined =>
  failure?.isPassing && failure.failsAt !== undefined && failure.failsAt > now ? failure.failsAt - now : undefined;

function failuresOf(pod: ObservedPod): Failure[] {
  if (pod.failure !== undefined) return [{ kind: "evicted", pod: pod.name, message: pod.failure }];
  if (pod.unschedulable !== undefined) return [unplaced(pod, pod.unschedulable)];
  const probe = ofProbe(pod);
  const ended = pod.containers.flatMap((container) => failureOf(pod, container) ?? []);
  // A container that its own probe ends is no crash: it was killed.
  const isKilled = probe !== undefined && probe.probe?.probe !== "Readiness" && !probe.isPassing;
  const falls = isKilled ? ended.filter(({ kind, exitCode }) => kind === "memory" || !bySignal(exitCode)) : ended;
  const found = [...falls, ...(probe === undefined ? [] : [probe])];
  return found.length > 0 ? found : ofWarning(pod);
}

function unplaced(pod: ObservedPod, message: string): Failure {
  const { name, claims, nodeFaults: nodes, shortages } = pod;
  if (/volume|persistentvolumeclaim/i.test(message))
    return { kind: "volume", pod: name, message, ...(claims === undefined ? {} : { claims }) };
  const lacking = lackingResources(message);
  return {
    kind: "unschedulable",
    pod: name,
    message,
    ...(lacking.length === 0 ? {} : { lacking }),
    ...(shortages === undefined ? {} : { shortages }),
    ...(nodes === undefined ? {} : { nodes }),
  };
}

function failureOf(pod: ObservedPod, container: ObservedContainer): Failure | undefined {
  const { name, role, state, lastEnd } = container;
  const place = { pod: pod.name, container: name, role };
  if (state.is === "waiting") {
    const message = state.message || state.reason;
    if (imageReasons.includes(state.reason))
      return { kind: "image", ...place, message, image: classifyImage(state.reason, message) };
    if (state.reason === engineReason) return { kind: "engine", ...place, message };
    if (configurationReasons.includes(state.reason)) return { kind: "configuration", ...place, message };
    return lastEnd === undefined || !isFall(lastEnd) ? undefined : ended(pod, container, lastEnd);
  }
  if (state.is === "ended") return isFall(state) ? ended(pod, container, state) : undefined;
  // It runs again after a fall: as long as it is not ready, the fall is what there is to know. Who prepares is never ready, but done.
  const isWell = container.isReady && role === "serves";
  if (!isWell && container.restarts > 0 && lastEnd !== undefined && isFall(lastEnd))
    return ended(pod, container, lastEnd);
  return undefined;
}

/** Whether it ended by a fault of its own: what ended unseen went down with its node. */
const isFall = ({ exitCode, reason }: ContainerEnd): boolean => exitCode !== 0 && reason !== "Unknown";

/** From so many restarts on nobody expects it to start. */
const manyRestarts = 2;

function ended(pod: ObservedPod, container: ObservedContainer, end: ContainerEnd): Failure {
  const { name, role, restarts, memoryLimit, memoryRequest } = container;
  const { exitCode, reason, message } = end;
  const words = lastLogLine(message);
  const head = {
    pod: pod.name,
    container: name,
    role,
    message: "",
    exitCode,
    restarts,
    ...(words === "" ? {} : { lastLogLine: words }),
  };
  if (reason === "OOMKilled")
    return {
      kind: "memory",
      ...head,
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
      ...(memoryRequest === undefined ? {} : { memoryRequest }),
    };
  const crash: Failure = { kind: "crash", ...head };
  const isFirst = role === "serves" && restarts < manyRestarts && pod.isOneShot !== true;
  // No restart changes an old driver or a model that the engine does not support.
  return isFirst && classifyCrash(crash).is === "other" ? { ...crash, isPassing: true } : crash;
}

/** Ended from outside: asked to stop, or killed. */
const bySignal = (exitCode: number | undefined): boolean => exitCode === 143 || exitCode === 137;

/** What the newest warning says of a probe, of a pod whose containers run. */
function ofProbe({ name, containers, warning, probes, declaredPorts }: ObservedPod): Failure | undefined {
  const failure = warning?.is === "known" ? readProbe(warning.value) : undefined;
  const container = containers.find(({ role, isReady }) => role === "serves" && !isReady);
  if (failure === undefined || container === undefined) return undefined;
  // What the kernel killed for its memory has the exit code of a kill, too, and no probe did that.
  const isOut = container.lastEnd?.reason === "OOMKilled";
  // A startup probe gives a container all its time before it kills it, so one restart is enough.
  const many = failure.probe === "Startup" ? 1 : manyRestarts;
  const wasKilled = !isOut && bySignal(container.lastEnd?.exitCode) && container.restarts >= many;
  const isKilled = failure.probe !== "Readiness" && wasKilled;
  // What is loading needs time, unless its probe ends it each time before it has loaded.
  if (failure.is === "loading" && !isKilled) return undefined;
  const [asked, declared] = [probes?.[failure.probe], declaredPorts?.[failure.probe]];
  const { state } = container;
  const since = state.is === "running" ? state.since : undefined;
  return {
    kind: "unhealthy",
    pod: name,
    container: container.name,
    role: "serves",
    message: failure.message,
    probe: {
      ...failure,
      ...(asked === undefined ? {} : { at: asked }),
      ...(declared === undefined ? {} : { declared }),
    },
    // A server that does not listen yet may be loading.
    ...(failure.is === "answer" || isKilled
      ? {}
      : { isPassing: true, ...(since === undefined ? {} : { failsAt: since + startDeadline }) }),
  };
}

/** What keeps a pod from getting containers at all. */
function ofWarning({ name, containers, warning }: ObservedPod): Failure[] {
  const isWaiting = containers.every(({ state }) => state.is === "waiting");
  if (warning?.is !== "known" || !isWaiting) return [];
  const { reason, message } = warning.value;
  if (mountReasons.includes(reason)) return [{ kind: "volume", pod: name, message }];
  return sandboxReasons.includes(reason) ? [{ kind: "configuration", pod: name, message }] : [];
}
