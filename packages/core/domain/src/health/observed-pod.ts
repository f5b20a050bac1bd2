import type { Fact, Instant } from "@trivium/std";
import type { WarningReport } from "../queries.ts";

/** What matters of a pod to whoever wants it to serve: small and printable. */
export interface ObservedPod {
  readonly name: string;
  readonly createdAt?: Instant | undefined;
  readonly node?: string | undefined;
  readonly address?: string | undefined;
  readonly phase: string;
  readonly isReady: boolean;
  readonly isLeaving: boolean;
  /** Value of the annotation by which a plan knows pods of its newest template. */
  readonly template?: string | undefined;
  /** The model server that the local engine stands in for. */
  readonly standIn?: string;
  /** Why no node takes it, in the scheduler's words. */
  readonly unschedulable?: string | undefined;
  /** Why the pod as a whole failed, such as `Evicted`. */
  readonly failure?: string | undefined;
  /** In the order they run: first those that prepare, then those that serve. */
  readonly containers: readonly ObservedContainer[];
  /** It runs once and is not restarted, as pods of Jobs do. */
  readonly isOneShot?: true;
  /** The newest warning among its Events; asked of pods that are not ready and do not say why themselves. */
  readonly warning?: Fact<WarningReport>;
  /** What the probes of its containers ask, by the kind of probe; looked at where one may fail. */
  readonly probes?: Readonly<Record<string, string>>;
  /** By the kind of probe: ports that the spec of the container names, where the probe uses none of them. */
  readonly declaredPorts?: Readonly<Record<string, readonly number[]>>;
  /** Its claims that have no volume; looked at where the pod waits for one. */
  readonly claims?: readonly ObservedClaim[];
  /** Nodes that take no pods for now; looked at where no node takes it. */
  readonly nodeFaults?: readonly NodeFault[];
  /** What it requests more of than nodes have; looked at where no node takes it. */
  readonly shortages?: readonly Shortage[];
}

/** A resource that keeps a pod from being scheduled: CPU in thousandths, everything else in whole units. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  /** The most that one node offers to pods; 0 where no node has any. */
  readonly offered: number;
}

/** A claim without a volume. */
export interface ObservedClaim {
  readonly name: string;
  /** The class that it names, where it names one. */
  readonly storageClass?: string;
  /** What is wrong with it, where that is known. */
  readonly fault?: "no claim" | "no class" | "no default class";
  /** What the provisioner says. */
  readonly warning?: Fact<WarningReport>;
}

/** A node that takes no pods, by the taint or the mark that Kubernetes puts on it. */
export interface NodeFault {
  readonly node: string;
  readonly is:
    | "disk-pressure"
    | "memory-pressure"
    | "pid-pressure"
    | "not-ready"
    | "unreachable"
    | "network-unavailable"
    | "cordoned";
}

export interface ObservedContainer {
  readonly name: string;
  readonly role: "prepares" | "serves";
  readonly isReady: boolean;
  readonly restarts: number;
  readonly state: ContainerState;
  /** Its memory limit and request; read where it ran out of memory. */
  readonly memoryLimit?: string;
  readonly memoryRequest?: string;
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
