import type { Kind, KubeObject, ObjectOf, Ref } from "@trivium/kube";
import type { Fact, Instant, JsonObject, Millis } from "@trivium/std";

/** What a reconciler may read while it observes. Reads caches only; every read is remembered and wakes the reader on change. */
export interface Look<K extends Kind = Kind> {
  get<T extends K>(kind: T, ref: Ref): Fact<ObjectOf<T>>;
  /** The first of the kinds that has the object: namespaced first, then cluster-wide. */
  nearest<T extends K>(twin: readonly T[], ref: Ref): Fact<ObjectOf<T>>;
  list<T extends K>(kind: T, where: Where): readonly ObjectOf<T>[];
  /** A question to the world outside the API: a registry, the hub, metrics, logs. */
  ask<A, R>(question: Question<A, R>, args: A): Fact<R>;
}

export interface Where {
  readonly namespace?: string | undefined;
  /** Every label must be equal. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The uid of an owner. */
  readonly owner?: string;
}

declare const answerType: unique symbol;
/** A typed name for something that only the world outside knows. */
export interface Question<A, R> {
  readonly name: string;
  /** How long an answer is good for. */
  readonly ttl: Millis;
  [answerType]?(args: A): R;
}

/** A child that should exist, whole as we want it: what is not in it is not ours. */
export interface Desired<O extends KubeObject = KubeObject> {
  readonly kind: Kind<O>;
  readonly object: O;
  /** Kept when its owner goes or stops wanting it; gets no owner reference. */
  readonly outlivesOwner?: true;
  /** Made once and never changed afterwards. */
  readonly createOnly?: true;
}

/** Something worth telling a person once: becomes an Event. */
export interface Note {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly action?: string;
}

export type Decision<S> =
  | {
      readonly do: "converge";
      readonly children: readonly Desired[];
      readonly status: S;
      readonly notes?: readonly Note[];
      readonly recheckIn?: Millis;
    }
  | { readonly do: "hold"; readonly status: S; readonly notes?: readonly Note[]; readonly recheckIn?: Millis }
  | { readonly do: "release" };

/** What a reconciler of objects `O` says of status, given the object type. */
export type StatusOf<O> = O extends { status?: infer S } ? Exclude<S, undefined> : JsonObject;

export interface Reconciler<O extends KubeObject = KubeObject, Seen = unknown, K extends Kind = Kind> {
  /** `aim.service`: field manager, log key, metric label. */
  readonly name: string;
  readonly kind: Kind<O>;
  /** Informers and read permissions come from this list. */
  readonly reads: readonly K[];
  /** Write permissions and the prune set come from this list. */
  readonly writes: readonly Kind[];
  readonly finalizer?: string;
  /** Plain, printable data; no await. */
  observe(object: O, look: Look<K>): Seen;
  /** Pure and total: same object, same facts, same time give the same decision. */
  decide(object: O, seen: Seen, now: Instant): Decision<StatusOf<O>>;
}

/** A reconciler of some object: for lists of them. */
// biome-ignore lint/suspicious/noExplicitAny: a list of reconcilers of different objects
export type AnyReconciler = Reconciler<any, any, any>;
