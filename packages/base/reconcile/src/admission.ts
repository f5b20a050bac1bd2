import type { Kind, KubeObject } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import type { Reader } from "./shape.ts";

/** What somebody is about to do to an object. */
export type AdmissionVerb = "create" | "update" | "delete";

export interface AdmissionRequest<O extends KubeObject = KubeObject> {
  readonly verb: AdmissionVerb;
  /** As it is to be stored; of a deletion, as it is stored. */
  readonly object: O;
  /** As it is stored; there on update only. */
  readonly old?: O | undefined;
}

export interface AdmissionResult {
  /** Each of them keeps the object out. */
  readonly faults: readonly FieldError[];
  /** Told to whoever asked; they keep nothing out. */
  readonly warnings: readonly string[];
}

/**
 * What is said of objects of one kind before they are stored, beyond what their schema can say. What needs other objects to be there warns
 * and never refuses: the order in which things are applied must not matter.
 */
export interface Admission<O extends KubeObject = KubeObject, Observed = unknown, K extends Kind = Kind> {
  readonly kind: Kind<O>;
  /** What is judged. Filled in is what is created or updated. */
  readonly verbs: readonly AdmissionVerb[];
  /** Kinds that `observe` looks at. */
  readonly reads: readonly K[];
  /** Plain data, from caches only; no questions. A fact that has not come yet is no reason to refuse or to warn. */
  observe(request: AdmissionRequest<O>, reader: Reader<K>): Observed;
  /**
   * The object with what was left out; itself when nothing was. Only labels, annotations and spec may differ. It comes before the schema is
   * asked: what it throws means that there is nothing to fill in.
   */
  fill?(request: AdmissionRequest<O>, observed: Observed): O;
  judge(request: AdmissionRequest<O>, observed: Observed): AdmissionResult;
}

/** An admission of some object: for lists of them. */
// biome-ignore lint/suspicious/noExplicitAny: a list of admissions of different objects
export type AnyAdmission = Admission<any, any, any>;
