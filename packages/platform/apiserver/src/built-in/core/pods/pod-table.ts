import type { api } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import { ageOf } from "../../table/age.ts";

/** What `kubectl get pods` says of a pod's containers. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string | undefined;
}

export function podReady(pod: api.Pod): string {
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar).length;
  return `${tallyOf(pod).ready}/${pod.spec.containers.length + sidecars}`;
}

export function podReason(pod: api.Pod): string {
  const isEnding = pod.metadata.deletionTimestamp !== undefined;
  const phase = pod.status?.phase;
  if (isEnding && pod.status?.reason === "NodeLost") return "Unknown";
  if (isEnding && phase !== "Succeeded" && phase !== "Failed") return "Terminating";
  return tallyOf(pod).reason;
}

export function podRestarts(pod: api.Pod, now: Instant): string {
  const { restarts, lastRestart } = tallyOf(pod);
  return restarts === 0 || lastRestart === undefined
    ? String(restarts)
    : `${restarts} (${ageOf(lastRestart, now)} ago)`;
}

export function podReadinessGates(pod: api.Pod): string {
  const gates = pod.spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => isTrue(pod, gate.conditionType)).length;
  return `${open}/${gates.length}`;
}

const isSidecar = (container: api.Container | undefined): boolean => container?.restartPolicy === "Always";
const isTrue = (pod: api.Pod, type: string): boolean =>
  pod.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;

function tallyOf(pod: api.Pod): Tally {
  const initial = initialReason(pod);
  const init = tallyInit(pod, initial);
  const isInitializing = init.isInitializing && !isTrue(pod, "Initialized");
  return isInitializing ? init : tallyMain(pod, init);
}

function initialReason(pod: api.Pod): string {
  const gated = pod.status?.conditions?.some((one) => one.type === "PodScheduled" && one.reason === "SchedulingGated");
  return gated ? "SchedulingGated" : pod.status?.reason || pod.status?.phase || "";
}

interface InitTally extends Tally {
  isInitializing: boolean;
  /** Restarts of sidecars alone, which still count when the pod is initialised. */
  sidecars: { restarts: number; lastRestart: string | undefined };
}

function tallyInit(pod: api.Pod, reason: string): InitTally {
  const specs = new Map((pod.spec.initContainers ?? []).map((container) => [container.name, container]));
  const sidecars = { restarts: 0, lastRestart: undefined as string | undefined };
  const tally: InitTally = { reason, ready: 0, restarts: 0, lastRestart: undefined, isInitializing: false, sidecars };
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    countRestarts(tally, status);
    const sidecar = isSidecar(specs.get(status.name));
    if (sidecar) countRestarts(sidecars, status);
    if (status.state?.terminated?.exitCode === 0) continue;
    if (sidecar && status.started) {
      if (status.ready) tally.ready++;
      continue;
    }
    tally.reason = `Init:${initFailure(status) ?? `${index}/${specs.size}`}`;
    tally.isInitializing = true;
    break;
  }
  return tally;
}

function initFailure({ state }: api.ContainerStatus): string | undefined {
  if (state?.terminated) return endingOf(state.terminated);
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== "PodInitializing" ? waiting : undefined;
}

function tallyMain(pod: api.Pod, init: InitTally): Tally {
  const tally: Tally = { ...init.sidecars, reason: init.reason, ready: init.ready };
  let hasRunning = false;
  let failure = "";
  for (const status of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    countRestarts(tally, status);
    const { state } = status;
    if (state?.waiting?.reason) tally.reason = state.waiting.reason;
    else if (state?.terminated) {
      tally.reason = endingOf(state.terminated);
      if (state.terminated.exitCode !== 0) failure = tally.reason;
    } else if (status.ready && state?.running) {
      hasRunning = true;
      tally.ready++;
    }
  }
  if (tally.reason === "Completed") tally.reason = reasonWhenSomeCompleted(pod, hasRunning, failure);
  return tally;
}

function reasonWhenSomeCompleted(pod: api.Pod, hasRunning: boolean, failure: string): string {
  if (hasRunning && isTrue(pod, "Ready")) return "Running";
  if (failure !== "") return failure;
  return hasRunning ? "NotReady" : "Completed";
}

function endingOf({ reason, signal, exitCode }: api.ContainerStateTerminated): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function countRestarts(
  tally: { restarts: number; lastRestart: string | undefined },
  status: api.ContainerStatus,
): void {
  tally.restarts += status.restartCount;
  const ended = status.lastState?.terminated?.finishedAt;
  if (ended === undefined) return;
  if (tally.lastRestart === undefined || (parseTime(tally.lastRestart) ?? 0) < (parseTime(ended) ?? 0))
    tally.lastRestart = ended;
}
