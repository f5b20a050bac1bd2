import type { KubeClient, Pod } from "@trivium/kube";
import type { Clock } from "@trivium/runtime";
import type { LogBook } from "./logs/log-book.ts";
import type { BackoffLimits } from "./pods/crash-backoff.ts";
import type { PodNotes } from "./pods/pod-notes.ts";
import type { Sandbox } from "./sandbox.ts";

/** What all pods of a node share. */
export interface NodePorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly logs: LogBook;
  readonly notes: PodNotes;
  readonly backoff: BackoffLimits;
  readonly node: { readonly name: string; readonly address: string };
  /** Resolves when the claims that the pod mounts are bound. */
  whenBound(pod: Pod, signal: AbortSignal): Promise<void>;
  onError(what: string, error: unknown): void;
}
