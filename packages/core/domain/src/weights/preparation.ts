import type { Instant, Millis } from "@trivium/std";
import type { FieldPaths } from "../serving/field-paths.ts";
import type { DownloadProgress } from "./download-progress.ts";

/** A reason of the dialect's API, and the sentence of a diagnosis: cause, object, remedy. */
export interface PreparationFault<R extends string = string> {
  readonly reason: R;
  readonly message: string;
}

/**
 * Weights to be made available, in the words that all dialects share: what a model or a cache requests, and what is observed of it. A
 * dialect's `lower` fills it with the names of its reasons; `prepare` in the engines decides.
 */
export interface PreparationIntent<R extends string = string> {
  /** They were complete before, and the place that holds them still exists. */
  readonly isHeld?: boolean | undefined;
  /** The request is wrong, or not allowed: nothing is tried. */
  readonly fault?: PreparationFault<R> | undefined;
  /** What the source answered the operator. Pods with credentials of their own can know better. */
  readonly source?: SourceFault<R> | undefined;
  /** The volume that holds them; absent where nodes or pods keep them. */
  readonly volume?: VolumeReport<R> | undefined;
  /** What must be found out besides: the size of the source, or what a volume has in it. */
  readonly inspection?: InspectionReport<R> | undefined;
  readonly transfers: TransferIntent<R>;
  /** Attempts are counted where the operator itself starts them. */
  readonly attempts?: AttemptReport | undefined;
  /** Where the user writes what a remedy names. */
  readonly paths: FieldPaths;
}

export interface SourceFault<R extends string = string> extends PreparationFault<R> {
  /** Without a change of the spec nobody can read it. */
  readonly isFinal: boolean;
}

/** A PersistentVolumeClaim, as far as weights depend on it. */
export interface VolumeReport<R extends string = string> {
  /** As people name it, with its namespace where that is another one. */
  readonly claim: string;
  /** Who creates it. */
  readonly owner: "user" | "operator";
  readonly phase: "missing" | "Pending" | "Bound" | "Lost";
  /** It is bound when the first pod uses it. */
  readonly waitsForPod?: boolean | undefined;
  /** It is being deleted, and pods still use it. */
  readonly isLeaving?: boolean | undefined;
  /** The StorageClass that it names and that does not exist. */
  readonly missingClass?: string | undefined;
  /** Why it gets no volume, where that is known otherwise. */
  readonly fault?: string | undefined;
  /** Whether it has, or gets, enough space. */
  readonly space?: SpaceReport<R> | undefined;
  readonly reasons: Readonly<Record<"missing" | "lost" | "unbound", R>>;
}

export type SpaceReport<R extends string = string> =
  /** A budget is being checked. */
  | { readonly is: "awaited"; readonly fault: PreparationFault<R> }
  /** A larger claim takes its place. */
  | { readonly is: "replaced"; readonly fault: PreparationFault<R> }
  | { readonly is: "refused"; readonly fault: PreparationFault<R> };

/** Something that runs once: a download, or an inspection. */
export interface TaskReport<R extends string = string> {
  /** Who runs it, as people name it: `Node a`, `Pod chat-0`, `Job cache-1`. */
  readonly by: string;
  readonly state: "waiting" | "running" | "failed" | "done";
  /** Why it failed, or cannot start. */
  readonly fault?: PreparationFault<R> | undefined;
  readonly progress?: DownloadProgress | undefined;
  /** Another attempt changes nothing. */
  readonly isFinal?: boolean | undefined;
  /** What it needs can appear without a change of the spec: it counts as failed, and is tried again until it succeeds. */
  readonly isAwaited?: boolean | undefined;
  /** It was stopped from outside and did not fail. */
  readonly isStopped?: boolean | undefined;
  readonly endedAt?: Instant | undefined;
}

export interface InspectionReport<R extends string = string> extends TaskReport<R> {
  /** A source is inspected before there is a volume, a volume once it is bound. */
  readonly of: "source" | "volume";
}

export interface TransferIntent<R extends string = string> {
  readonly reports: readonly TaskReport<R>[];
  /** Whether one that is done is enough. */
  readonly need: "any" | "all";
  /**
   * What it means that none is reported. `started`: the operator starts one. `deferred`: pods that use the weights download them.
   * `awaited`: others start one, and why none has.
   */
  readonly otherwise:
    | { readonly is: "started" }
    | { readonly is: "deferred" }
    | { readonly is: "awaited"; readonly fault: PreparationFault<R> };
}

export interface AttemptReport {
  readonly attempt: number;
  readonly allowed: number;
  /** The spec was changed since: attempts are counted from the beginning. */
  readonly isChanged: boolean;
  readonly now: Instant;
}

export type PreparationStep = "request" | "source" | "inspection" | "space" | "volume" | "transfer";

/** What `prepare` comes to, the same for every dialect. */
export type Prepared<R extends string = string> =
  /** A fact is missing: hold. */
  | { readonly is: "unresolved" }
  /** Nothing more is tried until something is changed, or until `retryIn`. */
  | {
      readonly is: "blocked";
      readonly step: PreparationStep;
      readonly fault: PreparationFault<R>;
      readonly retryIn?: Millis | undefined;
    }
  | {
      readonly is: "preparing";
      readonly step: PreparationStep;
      readonly fault?: PreparationFault<R> | undefined;
      /** What runs, and how far it is. */
      readonly running?: readonly TaskReport<R>[] | undefined;
      /** The next attempt, where one is due. */
      readonly next?: NextAttempt | undefined;
      /** Until the next attempt. */
      readonly retryIn?: Millis | undefined;
      /** The volume gives way to a larger one. */
      readonly isReplaced?: true | undefined;
    }
  /** Who holds them; nobody yet where pods download them before they start. */
  | { readonly is: "ready"; readonly by: readonly string[] };

export interface NextAttempt {
  readonly attempt: number;
  /** Attempts that are allowed from now on, where that changes. */
  readonly allowed?: number | undefined;
}
