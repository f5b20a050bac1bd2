import type { ExecRequest, RunCommand } from "@trivium/apiserver";
import type { api, Pod } from "@trivium/kube";
import type { Instant, Millis } from "@trivium/std";
import type { LogReading } from "./logs/log-reading.ts";

/**
 * Where the containers of a node run. The pod worker decides which container runs when; a sandbox runs it, watches its health and says
 * what becomes of it. The worker never asks: everything it knows came as an event.
 */
export interface Sandbox {
  /** Goes in front of container ids: `staged` gives `staged://…`. */
  readonly scheme: string;
  /** Makes room for a pod: an address, and later its volumes. Asked again for a pod it has, it gives the same room. */
  open(pod: Pod): Promise<PodSetup>;
  /** Told before anything is opened, with all pods that are to be here: what an earlier agent left of any other goes. */
  retain?(pods: readonly Pod[]): Promise<void>;
  /** Whether a run was begun already, by an agent before this one: then there is nothing to wait for. */
  hasBegun?(pod: Pod, container: string, id: string): boolean;
  /** Ends all that runs, each within this time, for an agent that comes later to begin it again. Told when no agent is left. */
  rest?(grace: Millis): Promise<void>;
  /** The object is gone: all that was kept for those who look back, such as logs, goes. */
  forget?(pod: Pod): void;
  /** The log of a run, where the sandbox keeps logs itself. Without this, what it prints goes to the sink of the run. */
  logOf?(pod: Pod, container: string, id: string): LogReading | undefined;
  /** Runs a command beside the process of a container, with the streams of a client; undefined while that does not run. */
  exec?(pod: Pod, container: string, request: ExecRequest): RunCommand | undefined;
  /** Joins the process of a container; undefined while that does not run. */
  attach?(pod: Pod, container: string): RunCommand | undefined;
  /** What its containers use now. */
  usage?(): Promise<readonly ContainerUsage[]>;
}

export interface ContainerUsage {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly at: Instant;
  /** Time on a CPU since the container began. */
  readonly cpuNanos: number;
  /** What is not given back when others need the room. */
  readonly memoryBytes: number;
}

export interface PodSetup {
  readonly address: string;
  /** Events come after this call has returned, never during it. */
  start(run: ContainerRun, tell: (event: ContainerEvent) => void): StartedContainer;
  /** Nothing of the pod runs any more, and nothing of it will. */
  close(): void;
}

export interface StartedContainer {
  /** Asks it to end, and ends it when the time is over. A container that does not run yet ends without an event. Sooner wins. */
  stop(grace: Millis): void;
  /** The agent goes, the container stays: no more events. */
  abandon(): void;
}

/** `ephemeral` was added to a pod that runs, to look into it: it is never started again and counts for nothing. */
export type ContainerRole = "init" | "sidecar" | "main" | "ephemeral";

/** One life of a container. */
export interface ContainerRun {
  readonly pod: Pod;
  readonly container: api.Container;
  readonly role: ContainerRole;
  readonly id: string;
  /** 0 the first time, one more with each restart. */
  readonly attempt: number;
  /** When an earlier agent started this very run: the sandbox takes it over, or says how it ended. */
  readonly runningSince?: Instant | undefined;
  /** What an earlier agent last said of it. */
  readonly before?: { readonly isStarted: boolean; readonly isReady: boolean } | undefined;
  readonly log: LogSink;
}

/** Takes what a container prints. Lines that were printed while nobody looked come with their time. */
export interface LogSink {
  write(text: string, at?: Instant): void;
}

export type ContainerEvent =
  | { readonly is: "pulling" }
  | { readonly is: "pulled"; readonly took: Millis }
  /** There was nothing to pull. */
  | { readonly is: "present" }
  /** Something a person who describes the pod should read. */
  | { readonly is: "note"; readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string }
  /** It could not be started, and is worth another try; `meanwhile` is what it waits for until then. */
  | {
      readonly is: "refused";
      readonly reason: string;
      readonly message: string;
      /** What to do, for the Event. */
      readonly advice?: string;
      readonly meanwhile: Waiting;
      /** Resolves when another try makes sense, should that be sooner than it would be made anyhow. */
      readonly until?: Promise<void> | undefined;
    }
  | { readonly is: "running"; readonly imageId: string; readonly at: Instant }
  | { readonly is: "started" }
  | { readonly is: "readiness"; readonly isReady: boolean }
  | ContainerExit;

export interface Waiting {
  readonly reason: string;
  readonly message?: string | undefined;
}

export interface ContainerExit {
  readonly is: "exited";
  readonly code: number;
  readonly at: Instant;
  readonly reason?: string | undefined;
  readonly signal?: number | undefined;
  readonly message?: string | undefined;
  /** It ended with the machine or with us: it begins again at once, and this is not held against it. */
  readonly isBlameless?: boolean | undefined;
  /** The program could not even be begun. */
  readonly hasNotRun?: boolean | undefined;
}
