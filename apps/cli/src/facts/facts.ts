import type { AnyObject, Kind } from "@trivium/kube";
import type { DialectOptions } from "@trivium/local";
import type { SnapshotAnswer } from "@trivium/runtime";
import type { Instant } from "@trivium/std";

/** All that a decision is based on, as plain data: a command that has it needs no cluster. */
export interface Facts {
  readonly now: Instant;
  /** The object that they were saved for. */
  readonly subject?: FactsSubject | undefined;
  /** The namespace of manifests that name none. */
  readonly namespace?: string | undefined;
  /** What the dialects were started with, where that is known. */
  readonly options?: DialectOptions | undefined;
  readonly objects: readonly AnyObject[];
  /** What the world outside the API answered. */
  readonly answers: readonly SnapshotAnswer[];
  /** Kinds that the caller cannot list. */
  readonly unreadable: readonly string[];
  /** Kinds of other projects that the API serves. */
  readonly served: readonly Kind[];
}

export interface FactsSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}
