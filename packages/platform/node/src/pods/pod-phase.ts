import type { Pod } from "@trivium/kube";
import { type ContainerRecord, lastEndOf } from "./container-record.ts";
import { isInitial, isRestarted } from "./containers.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** Whether nothing of the pod is started any more, whatever its restart policy says. */
export type PodLifecycle = "running" | "ended";

export function phaseOf(pod: Pod, records: readonly ContainerRecord[], lifecycle: PodLifecycle): PodPhase {
  const inits = records.filter(({ role }) => role === "init");
  if (inits.some((record) => isLost(pod, record))) return "Failed";
  const mains = records.filter(({ role }) => role === "main");
  const isBegun = mains.some(hasRun);
  const isOver = lifecycle === "ended";
  if (!isBegun && !records.filter(isInitial).every(isPassed)) return isOver ? "Failed" : "Pending";
  if (!mains.every(hasRun)) return isOver ? "Failed" : "Pending";
  const isRunning = records.some(
    ({ role, state }) => (role === "main" || role === "sidecar") && state.running !== undefined,
  );
  if (isRunning) return "Running";
  const ends = mains.map((record) => ({ record, code: lastEndOf(record)?.exitCode ?? 0 }));
  if (!isOver && ends.some(({ record, code }) => isRestarted(pod, record, code))) return "Running";
  return ends.every(({ code }) => code === 0) ? "Succeeded" : "Failed";
}

/** An init container that failed for good. */
export function isLost(pod: Pod, record: ContainerRecord): boolean {
  const ended = record.role === "init" ? lastEndOf(record) : undefined;
  return ended !== undefined && ended.exitCode !== 0 && !isRestarted(pod, record, ended.exitCode);
}

/** Whether what comes after this init container or sidecar may begin. */
export function isPassed(record: ContainerRecord): boolean {
  if (record.role === "sidecar") return record.isStarted;
  return record.state.terminated?.exitCode === 0;
}

export const hasRun = (record: ContainerRecord): boolean =>
  record.state.running !== undefined || lastEndOf(record) !== undefined;
