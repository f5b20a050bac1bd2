import type { ContainerRole } from "../../sandbox.ts";

/**
 * How containers live in the staged sandbox, as plain data: it can be written in YAML or JSON. The first stage that matches a container
 * gives its life. Durations are written as Kubernetes writes them: `200ms`, `1.5s`, `2m`.
 */
export type StageTable = readonly Stage[];

export interface Stage {
  readonly name: string;
  /** All that is said must hold; nothing said matches everything. */
  readonly match?: StageMatch;
  /** One life, or one for each start: the first, the one after the first restart, and so on; the last repeats. */
  readonly life: Life | readonly Life[];
}

/** Texts may hold `*` for any run of characters. */
export interface StageMatch {
  readonly image?: string;
  readonly container?: string;
  readonly pod?: string;
  readonly namespace?: string;
  readonly role?: ContainerRole;
  /** Kind of the object that controls the pod: `Job`. */
  readonly owner?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Life {
  /** How long the image takes to come, or how its coming fails. Default 0s. */
  readonly pull?: string | PullFailure;
  /** How long the startup probe would take. Default 0s. */
  readonly startup?: string;
  /** When it becomes ready, counted from its start. Default 0s. */
  readonly ready?: string | "never";
  /** What the node warns of a probe, one second after the start: `Readiness probe failed: HTTP probe failed with statuscode: 404`. */
  readonly probe?: string;
  readonly log?: readonly StagedLine[];
  /** When and how it ends by itself. Left out: it runs until it is stopped. */
  readonly exit?: StagedExit;
  /** What it does when it is asked to stop. Default: ends at once with code 0. Too slow for its grace period: killed, code 137. */
  readonly stop?: { readonly after?: string; readonly code?: number };
}

export interface PullFailure {
  readonly after?: string;
  /** Default `ErrImagePull`; others, such as `CreateContainerConfigError`, keep the container waiting under their own name. */
  readonly error?: string;
  readonly message?: string;
}

export interface StagedLine {
  readonly text: string;
  /** Counted from the start of the container. Default 0s. */
  readonly after?: string;
  /** Printed again and again, this far apart. */
  readonly every?: string;
}

export interface StagedExit {
  readonly after: string;
  readonly code: number;
  /** Default `Completed` or `Error`, by the code. */
  readonly reason?: string;
  readonly signal?: number;
  /** The termination message. */
  readonly message?: string;
}
