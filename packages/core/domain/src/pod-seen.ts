import type { Instant } from "@trivium/std";

/** What matters of a pod to whoever wants it to serve: small and printable. */
export interface PodSeen {
  readonly name: string;
  readonly createdAt?: Instant | undefined;
  readonly node?: string | undefined;
  readonly address?: string | undefined;
  readonly phase: string;
  readonly isReady: boolean;
  readonly isLeaving: boolean;
  /** Value of the annotation by which a plan knows pods of its newest template. */
  readonly template?: string | undefined;
  /** Why no node takes it, in the scheduler's words. */
  readonly unschedulable?: string | undefined;
  /** Why the pod as a whole failed, such as `Evicted`. */
  readonly failure?: string | undefined;
  /** In the order they run: first those that prepare, then those that serve. */
  readonly containers: readonly ContainerSeen[];
}

export interface ContainerSeen {
  readonly name: string;
  readonly role: "prepares" | "serves";
  readonly isReady: boolean;
  readonly restarts: number;
  readonly state: ContainerState;
  /** How its life before this one ended. */
  readonly lastEnd?: ContainerEnd | undefined;
}

export type ContainerState =
  | { readonly is: "waiting"; readonly reason: string; readonly message: string }
  | { readonly is: "running"; readonly isStarted: boolean; readonly since?: Instant | undefined }
  | ({ readonly is: "ended" } & ContainerEnd);

export interface ContainerEnd {
  readonly exitCode: number;
  readonly reason: string;
  /** The last words of the container: hostile text, already cut and cleaned. */
  readonly message: string;
}
