import type { KubeObject } from "@trivium/kube";
import type { Decision, Reconciler, Refusal, StatusGuide } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";

/** A saved world of one reconciler: the object, what was seen of everything else, and the time. */
export interface Case<O extends KubeObject = KubeObject, Observed = unknown> {
  readonly name: string;
  readonly object: O;
  readonly observed: Observed;
  readonly now: Instant;
}

/** The words a reconciler may use: for each condition type its reasons, and the reasons of its notes. */
export interface Vocabulary {
  readonly conditions: Readonly<Record<string, readonly string[]>>;
  readonly notes?: readonly string[];
}

export type LawName = "pure" | "blind" | "order" | "fixpoint" | "recalls" | "clock" | "words" | "refused" | "remedy";

export interface Violation {
  readonly law: LawName;
  readonly case: string;
  readonly what: string;
}

/** What a law looks at: a case, and how to decide it, with anything else put in the place of what was seen. */
export interface Trial {
  readonly case: Case;
  readonly words: Vocabulary | undefined;
  /** What its reasons mean for a person, where that is known. */
  readonly guide: StatusGuide | undefined;
  /** A kind of Kubernetes itself, which says what Kubernetes says. */
  readonly isPlain: boolean;
  /** How the reconciler words refused children, where it has children. */
  readonly refused?:
    | ((object: KubeObject, status: unknown, refusals: readonly Refusal[], now: Instant) => unknown)
    | undefined;
  /** What of its own status it depends on, where that is not all. */
  readonly recalls?: ((object: KubeObject, observed: unknown) => unknown) | undefined;
  decide(change?: {
    readonly object?: KubeObject;
    readonly observed?: unknown;
    readonly now?: Instant;
  }): Decision<unknown>;
}

/** Says what is wrong, in words; nothing when all is well. */
export type Law = (trial: Trial) => readonly string[];

export type LawfulReconciler<O extends KubeObject, Observed> = Pick<
  Reconciler<O, Observed>,
  "name" | "decide" | "recalls" | "refused" | "hasPlainConditions"
>;
