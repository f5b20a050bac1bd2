import type { Kind, KubeObject, ObjectOf, OwnerReference, Ref } from "@trivium/kube";
import type { Fact, Instant, JsonObject, Millis } from "@trivium/std";
import type { Part } from "./part.ts";
import type { Refusal } from "./refusal.ts";
import type { UpstreamOperator } from "./upstream.ts";

/** What a reconciler may read while it observes. Reads caches only; every read is remembered and wakes the reader on change. */
export interface Reader<K extends Kind = Kind> {
  get<T extends K>(kind: T, ref: Ref): Fact<ObjectOf<T>>;
  /** The first of the kinds that has the object: namespaced first, then cluster-wide. */
  nearest<T extends K>(twin: readonly T[], ref: Ref): Fact<ObjectOf<T>>;
  list<T extends K>(kind: T, where: Where): readonly ObjectOf<T>[];
  /** One part of an object: a change of the rest does not trigger the reader. */
  getPart<T extends K, P>(kind: T, ref: Ref, part: Part<ObjectOf<T>, P>): Fact<P>;
  /** The same part of every object that matches; objects without it are left out. */
  listParts<T extends K, P>(kind: T, where: Where, part: Part<ObjectOf<T>, P>): readonly NonNullable<P>[];
  /** A question to the world outside the API: a registry, the hub, metrics, logs. */
  ask<A, R>(query: Query<A, R>, args: A): Fact<R>;
}

export interface Where {
  readonly namespace?: string | undefined;
  /** Every label must be equal. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The uid of an owner. */
  readonly owner?: string;
  /** Every field must be equal; by its path from the top, such as `spec.modelName`. */
  readonly fields?: Readonly<Record<string, string>>;
}

declare const answerType: unique symbol;
/** A typed name for something that only the world outside knows. */
export interface Query<A, R> {
  readonly name: string;
  /** How long an answer is good for. */
  readonly ttl: Millis;
  /** The same for the answer that there is none; `ttl` when left out. */
  readonly absentTtl?: Millis;
  /** How long finding one may take, where that is longer or shorter than usual. */
  readonly timeout?: Millis;
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
  /**
   * Stays as it is: never made, never changed, and of the object only its name and uid count. One that nobody controls is taken in
   * where the uid is given and is its own: it gets the owner reference.
   */
  readonly keep?: true;
  /** Told when the child is made, and when it cannot be: then with the words of the server behind the message. */
  readonly events?: { readonly made?: Note; readonly failed?: Note };
}

/**
 * A small change to an object that is there and is no child. It is neither made nor owned by it. Its news are told of the touched object,
 * when something was really changed.
 */
export type Patch = Change & { readonly events?: Note };

type Change =
  /** These fields, by force; what an earlier touch of the object named and this one does not is taken back. */
  | { readonly patch: "fields"; readonly kind: Kind; readonly object: KubeObject }
  /** Owner references, by uid. Without the one of the deciding object it is let go: it stays and is nobody's. */
  | {
      readonly patch: "owners";
      readonly kind: Kind;
      readonly ref: Ref;
      readonly add?: readonly OwnerReference[];
      readonly remove?: readonly string[];
    }
  /** The wish of its scale subresource. */
  | { readonly patch: "scale"; readonly kind: Kind; readonly ref: Ref; readonly replicas: number }
  /** A pod is given to a node. */
  | { readonly patch: "bind"; readonly ref: Ref; readonly node: string }
  /** Parts of its status, conditions by their type; null takes a field away. */
  | { readonly patch: "status"; readonly kind: Kind; readonly ref: Ref; readonly status: JsonObject }
  /** Finalizers taken off: the object may go now. */
  | { readonly patch: "finalizers"; readonly kind: Kind; readonly ref: Ref; readonly remove: readonly string[] }
  /** It goes, if it is still this one; at once where it gets no time for its end. */
  | {
      readonly patch: "delete";
      readonly kind: Kind;
      readonly ref: Ref;
      readonly uid: string;
      readonly graceSeconds?: number;
    }
  /**
   * A pod is evicted, if it is still this one and its disruption budget allows. What is reported of the deciding object then, and when the
   * budget does not allow: events of the pod itself would disappear from view with the pod.
   */
  | {
      readonly patch: "evict";
      readonly ref: Ref;
      readonly uid: string;
      readonly evicted?: Note;
      readonly refused?: Note;
    };

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
      /** After the children, before the status. */
      readonly patches?: readonly Patch[];
      readonly status: S;
      readonly notes?: readonly Note[];
      readonly recheckIn?: Millis;
    }
  | { readonly do: "hold"; readonly status: S; readonly notes?: readonly Note[]; readonly recheckIn?: Millis }
  | { readonly do: "release" };

/** What a reconciler of objects `O` says of status, given the object type. */
export type StatusOf<O> = O extends { status?: infer S } ? Exclude<S, undefined> : JsonObject;

export interface Reconciler<O extends KubeObject = KubeObject, Observed = unknown, K extends Kind = Kind> {
  /** `aim.service`: field manager, log key, metric label. */
  readonly name: string;
  /** Names that it had in earlier versions: what was applied under them is taken over, without a change to the objects. */
  readonly formerNames?: readonly string[];
  /**
   * The annotation by which it knows pods of its newest template. With it, an upgrade of the operator restarts no pods: a workload keeps
   * its template until an input changes. `observe` counts kept pods as the newest (`observeTemplate` of the engines).
   */
  readonly podMark?: string;
  readonly kind: Kind<O>;
  /** The one object this is about: what is decided for many at once hangs on one key. */
  readonly only?: Ref;
  /** Informers and read permissions come from this list. */
  readonly reads: readonly K[];
  /** Write permissions and the prune set come from this list. */
  readonly writes: readonly Kind[];
  /**
   * Kinds in `writes` of which all that the object controls is this reconciler's, also what another client created. Then it prunes these,
   * and no others; none where it is empty.
   */
  readonly controls?: readonly Kind[];
  /** Kinds of objects that are no children and that its patches change or delete; of kinds with a reconciler the status needs no mention. */
  readonly patches?: readonly PatchedKind[];
  /** Rules of the Roles among its children: a cluster refuses to grant what the writer does not have itself. */
  readonly grants?: readonly GrantedRule[];
  /** Its patches evict pods, which needs a permission of its own. */
  readonly evicts?: true;
  /** The conditions of the kind have no `observedGeneration`: kinds of Kubernetes itself. */
  readonly hasPlainConditions?: true;
  /** It never changes the status: of kinds whose objects only name what is decided. */
  readonly keepsStatus?: true;
  /**
   * The whole status is this reconciler's, also what others put into it: what it does not say goes. Written over the version that was
   * seen, because others do write it.
   */
  readonly ownsStatus?: true;
  readonly finalizer?: string;
  /** The operator that may have served its objects before this one. */
  readonly upstream?: UpstreamOperator;
  /** Plain, printable data; no await. */
  observe(object: O, reader: Reader<K>): Observed;
  /** Pure and total: same object, same facts, same time give the same decision. */
  decide(object: O, observed: Observed, now: Instant): Decision<StatusOf<O>>;
  /**
   * What of the object's own status the decision depends on, given what is observed, where that is not all of it. Where it is the same before
   * and after a pass that wrote nothing but the status, the decision is the same, and no other pass follows: the law `recalls` demands it.
   * Also where the status changes what is observed: one that chooses need not look at the other candidates any more.
   */
  recalls?(object: O, observed: Observed): unknown;
  /**
   * The decided status when the API server refuses some of the children: the refusal is the cause. Pure, as `decide` is; the status is
   * written once, so that it does not change back and forth while the children are retried. Every reconciler that has children and a
   * status for people has it: the law `refused` demands it.
   */
  refused?(object: O, status: StatusOf<O>, refusals: readonly Refusal[], now: Instant): StatusOf<O>;
}

/** A kind of objects that are changed without being children, and how. */
interface PatchedKind {
  readonly kind: Kind;
  readonly verbs: readonly ("patch" | "delete" | "status")[];
}

/** A rule of a Role. */
interface GrantedRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A reconciler of some object: for lists of them. */
// biome-ignore lint/suspicious/noExplicitAny: a list of reconcilers of different objects
export type AnyReconciler = Reconciler<any, any, any>;
