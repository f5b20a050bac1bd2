import type { Instant } from "@trivium/std";
import type { Diagnosis } from "./diagnosis.ts";
import type { NodeFault, ObservedClaim, Shortage } from "./observed-pod.ts";

/** Why a workload does not serve: what is seen of one cause. `diagnose` in the engines turns it into words and a remedy. */
export interface Failure {
  readonly kind: FailureKind;
  readonly pod: string;
  readonly container?: string;
  readonly role?: "prepares" | "serves";
  /** What the scheduler, the node, the registry or a controller says; empty where how a container ended says it all. */
  readonly message: string;
  /** It may pass without anybody: a first exit, a server that is still loading. */
  readonly isPassing?: true | undefined;
  /** When what may pass counts as a failure. */
  readonly failsAt?: Instant | undefined;
  /** It may have passed, and took longer than a start is given. */
  readonly isOverdue?: true | undefined;
  readonly exitCode?: number;
  readonly restarts?: number;
  /** The end of the container's log, where it left some. */
  readonly lastLogLine?: string;
  /** The limit that a container went over. */
  readonly memoryLimit?: string;
  /** What it requests, where it has no limit. */
  readonly memoryRequest?: string;
  /** Claims of the pod that have no volume. */
  readonly claims?: readonly ObservedClaim[];
  /** What is known of it before any pod exists: the pod only shows it. */
  readonly known?: Diagnosis;
  /** Resources that nodes have too little of, where that keeps the pod from being scheduled. */
  readonly lacking?: readonly string[];
  /** How much of them it requests, and how much a node offers. */
  readonly shortages?: readonly Shortage[];
  /** Nodes that take no pods, and why. */
  readonly nodes?: readonly NodeFault[];
  readonly probe?: ProbeFailure;
  /** Why an image is not available. */
  readonly image?: ImageFault;
}

/**
 * `denied`: the registry requires other rights. `missing`: it has no such image. `invalid`: the reference cannot be read. `limited`: too many
 * requests. `untrusted`: its certificate is not trusted. `unreachable`: no connection. `platform`: not built for the node. `local`: the node
 * runs processes and knows none for it. `unknown`: the node gives no cause.
 */
export type ImageFault =
  | "denied"
  | "missing"
  | "invalid"
  | "limited"
  | "untrusted"
  | "unreachable"
  | "platform"
  | "local"
  | "unknown";

/** A probe that fails. */
export interface ProbeFailure {
  readonly probe: "Readiness" | "Liveness" | "Startup";
  /** `answer`: the server answers and says no. `loading`: it says that it is not ready yet. `closed`: nothing listens. */
  readonly is: "answer" | "loading" | "closed" | "slow" | "other";
  readonly code?: number;
  readonly message: string;
  /** What it asks: `/health on port 8080`. */
  readonly at?: string;
  /** Ports that the spec of the container names, where the probe uses none of them. */
  readonly declared?: readonly number[];
}

export type FailureKind =
  /** No node takes the pod. */
  | "unschedulable"
  /** A volume of it cannot be had. */
  | "volume"
  /** Its image cannot be had. */
  | "image"
  /** Something that it refers to is missing, or it cannot be started as written. */
  | "configuration"
  /** It is for a GPU, and the local engine has no build for that. */
  | "engine"
  /** It ended with an error. */
  | "crash"
  /** It took more memory than it may. */
  | "memory"
  /** It runs and a probe of it fails. */
  | "unhealthy"
  /** The node gave it up. */
  | "evicted"
  /** A controller cannot create its pods. */
  | "refused";
