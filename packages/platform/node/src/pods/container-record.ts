import type { api, Pod } from "@trivium/kube";
import type { Cancel } from "@trivium/runtime";
import { formatTime, type Instant, parseTime, sha256Hex } from "@trivium/std";
import type { LogRun } from "../logs/log-run.ts";
import type { ContainerExit, StartedContainer, Waiting } from "../sandbox.ts";
import type { PlacedContainer } from "./containers.ts";
import { type BackoffLimits, CrashBackoff } from "./crash-backoff.ts";

/** What a node knows of one container of a pod. The worker alone changes it. */
export interface ContainerRecord extends PlacedContainer {
  /** `new` waits for its turn, `resting` for its next start; `ended` is not started again. */
  is: "new" | "launching" | "running" | "resting" | "ended";
  /** As it is told to the world. */
  state: api.ContainerState;
  lastState: api.ContainerState;
  restarts: number;
  isReady: boolean;
  isStarted: boolean;
  imageId: string;
  /** Of the run that `state` speaks of. */
  id: string;
  /** When the run that goes on began. */
  startedAt: Instant | undefined;
  control: StartedContainer | undefined;
  log: LogRun | undefined;
  cancelRest: Cancel | undefined;
  readonly crashes: CrashBackoff;
  readonly refusals: CrashBackoff;
}

/** The record of a container, taken up from what an earlier agent wrote of it, if there was one. */
export function recordOf(pod: Pod, placed: PlacedContainer, backoff: BackoffLimits): ContainerRecord {
  const { status } = pod;
  const all = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const observed = all.find(({ name }) => name === placed.container.name);
  const crashes = new CrashBackoff(backoff);
  crashes.resume(observed?.restartCount ?? 0);
  return {
    ...placed,
    is: "new",
    state: observed?.state ?? {},
    lastState: observed?.lastState ?? {},
    restarts: observed?.restartCount ?? 0,
    isReady: observed?.ready ?? false,
    isStarted: observed?.started ?? false,
    imageId: observed?.imageID ?? "",
    id: observed?.containerID ?? "",
    startedAt: parseTime(observed?.state?.running?.startedAt ?? ""),
    control: undefined,
    log: undefined,
    cancelRest: undefined,
    crashes,
    refusals: new CrashBackoff(backoff),
  };
}

/** The same for the same run, whoever asks: an agent that comes back finds its containers by it. */
export function runIdOf(scheme: string, pod: Pod, record: ContainerRecord, attempt: number): string {
  return `${scheme}://${sha256Hex(`${pod.metadata.uid}/${record.container.name}/${attempt}`)}`;
}

/** The end of the run that the record speaks of, if it has ended. */
export function lastEndOf(record: ContainerRecord): api.ContainerStateTerminated | undefined {
  return record.state.terminated ?? (record.state.running === undefined ? record.lastState.terminated : undefined);
}

export function beginRun(record: ContainerRecord, run: { id: string; imageId: string; at: Instant }): void {
  const ended = lastEndOf(record);
  if (ended !== undefined) record.lastState = { terminated: ended };
  record.is = "running";
  record.id = run.id;
  record.imageId = run.imageId;
  record.startedAt = run.at;
  record.state = { running: { startedAt: formatTime(run.at) } };
}

export function endRun(record: ContainerRecord, exit: ContainerExit): void {
  const { code, reason, signal, message } = exit;
  record.is = "ended";
  record.isReady = false;
  record.isStarted = false;
  record.control = undefined;
  record.log?.end();
  record.state = {
    terminated: {
      exitCode: code,
      ...(reason === undefined ? {} : { reason }),
      ...(signal === undefined ? {} : { signal }),
      ...(message === undefined ? {} : { message }),
      startedAt: formatTime(record.startedAt ?? exit.at),
      finishedAt: formatTime(exit.at),
      containerID: record.id,
    },
  };
}

/** It waits for something; how the run before ended moves to where one looks for that. */
export function waitInstead(record: ContainerRecord, waiting: Waiting): void {
  if (record.state.terminated !== undefined) record.lastState = { terminated: record.state.terminated };
  const { reason, message } = waiting;
  record.state = { waiting: message === undefined ? { reason } : { reason, message } };
}
