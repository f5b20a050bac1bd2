import {
  groupResourceOf,
  isReason,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ObjectOf,
  type Ref,
} from "@trivium/kube";
import {
  type Answered,
  type AnyReconciler,
  askingKey,
  type Decision,
  type Part,
  partOf,
  partsOf,
  type Query,
  type Reader,
  type Where,
} from "@trivium/reconcile";
import { absent, type Fact, type Instant, known, pending, unreachable } from "@trivium/std";
import { answerSecrets, isLookedUp, secretByName } from "./caches/looked-up.ts";
import { nearestOf } from "./caches/reader-facts.ts";
import { matchesWhere } from "./caches/where.ts";

export interface SnapshotOptions {
  readonly client: KubeClient;
  /** Who answers queries to the outside world; a query that nobody answers stays pending. */
  readonly answers: readonly Answered[];
  readonly now: Instant;
  readonly signal: AbortSignal;
  /** What a caller who may not list in all namespaces can see. */
  readonly namespace?: string | undefined;
}

/** What a reconciler observes and decides now. */
export interface SnapshotPass {
  readonly observed: unknown;
  readonly decision: Decision<unknown>;
  readonly reads: SnapshotReads;
}

/** All that a pass has read: enough to take it again without the API. */
export interface SnapshotReads {
  readonly objects: readonly KubeObject[];
  readonly answers: readonly SnapshotAnswer[];
  /** Kinds that the caller cannot list, as `pods` or `aimservices.aim.silogen.ai`. */
  readonly unreadable: readonly string[];
}

export interface SnapshotAnswer {
  readonly query: string;
  readonly args: unknown;
  readonly fact: Fact<unknown>;
}

/** Enough for a chain of references, and an end where each answer raises another question. */
const maxRounds = 8;

/**
 * One pass over the current state of the API, with the rights of the client: nothing is watched and nothing is written. What `observe` reads is
 * fetched, and it is asked again with that, until it reads nothing new.
 */
export async function takePass(
  reconciler: AnyReconciler,
  object: KubeObject,
  options: SnapshotOptions,
): Promise<SnapshotPass> {
  const reader = new SnapshotReader(options);
  for (let round = 0; round < maxRounds; round++) {
    reconciler.observe(object, reader);
    if (!(await reader.fetchMissing())) break;
  }
  const observed: unknown = reconciler.observe(object, reader);
  const decision = reconciler.decide(object, observed, options.now) as Decision<unknown>;
  return { observed, decision, reads: reader.reads() };
}

class SnapshotReader implements Reader {
  readonly #options: SnapshotOptions;
  readonly #answers: ReadonlyMap<string, Answered>;
  readonly #objects = new Map<string, Fact<readonly KubeObject[]>>();
  readonly #answered = new Map<string, SnapshotAnswer>();
  /** What was handed out: a kind is fetched whole, and most of it concerns other objects. */
  readonly #read = new Set<KubeObject>();
  readonly #missing = new Map<string, () => Promise<void>>();

  constructor(options: SnapshotOptions) {
    this.#options = options;
    const answers = [...options.answers, answerSecrets(options.client)] as readonly Answered[];
    this.#answers = new Map(answers.map((one) => [one.query.name, one]));
  }

  get<T extends Kind>(kind: T, ref: Ref): Fact<ObjectOf<T>> {
    const { namespace = "", name } = ref;
    if (isLookedUp(kind)) return this.ask(secretByName, { namespace, name }) as Fact<KubeObject> as Fact<ObjectOf<T>>;
    const all = this.#allOf(kind);
    if (all.is !== "known") return all;
    const found = all.value.find(
      ({ metadata }) => metadata.name === name && (!kind.namespaced || (metadata.namespace ?? "") === namespace),
    );
    if (found === undefined) return absent;
    this.#read.add(found);
    return known(found) as Fact<KubeObject> as Fact<ObjectOf<T>>;
  }

  nearest<T extends Kind>(twin: readonly T[], ref: Ref): Fact<ObjectOf<T>> {
    return nearestOf(this, twin, ref);
  }

  list<T extends Kind>(kind: T, where: Where): readonly ObjectOf<T>[] {
    const all = this.#allOf(kind);
    const objects = all.is === "known" ? all.value : [];
    const found = objects.filter((object) => matchesWhere(where, object));
    for (const object of found) this.#read.add(object);
    return found as readonly KubeObject[] as readonly ObjectOf<T>[];
  }

  getPart<T extends Kind, P>(kind: T, ref: Ref, part: Part<ObjectOf<T>, P>): Fact<P> {
    return partOf(this.get(kind, ref), part);
  }

  listParts<T extends Kind, P>(kind: T, where: Where, part: Part<ObjectOf<T>, P>): readonly NonNullable<P>[] {
    return partsOf(this.list(kind, where), part);
  }

  ask<A, R>(query: Query<A, R>, args: A): Fact<R> {
    const key = askingKey(query, args);
    const before = this.#answered.get(key);
    if (before !== undefined) return before.fact as Fact<R>;
    const answered = this.#answers.get(query.name);
    if (answered === undefined) return pending;
    this.#missing.set(key, async () => {
      this.#answered.set(key, { query: query.name, args, fact: await this.#find(answered, args) });
    });
    return pending;
  }

  reads(): SnapshotReads {
    const all = [...this.#answered.values()];
    const secrets = all.flatMap(({ query, fact }) =>
      query === secretByName.name && fact.is === "known" ? [{ ...(fact.value as KubeObject), kind: "Secret" }] : [],
    );
    return {
      objects: [...this.#read, ...secrets],
      answers: all.filter(({ query }) => query !== secretByName.name),
      unreadable: [...this.#objects].filter(([, { is }]) => is === "unreachable").map(([resource]) => resource),
    };
  }

  /** Fetches what was read and is not there; false when that is nothing. */
  async fetchMissing(): Promise<boolean> {
    const fetches = [...this.#missing.values()];
    this.#missing.clear();
    await Promise.all(fetches.map((fetch) => fetch()));
    return fetches.length > 0;
  }

  async #find(answered: Answered, args: unknown): Promise<Fact<unknown>> {
    try {
      const found = await answered.answer(args, { signal: this.#options.signal });
      return found === undefined ? absent : known(found);
    } catch (error) {
      return unreachable(error instanceof Error ? error.message : String(error));
    }
  }

  #allOf(kind: Kind): Fact<readonly KubeObject[]> {
    const resource = groupResourceOf(kind);
    const fact = this.#objects.get(resource);
    if (fact !== undefined) return fact;
    this.#missing.set(resource, async () => {
      this.#objects.set(resource, await this.#listAll(kind));
    });
    return pending;
  }

  /** A kind that is not served has no objects; one that the caller may not list is not known. */
  async #listAll(kind: Kind): Promise<Fact<readonly KubeObject[]>> {
    const { namespace } = this.#options;
    const all = await this.#list(kind, {});
    if (all !== "forbidden") return all;
    const own = kind.namespaced && namespace !== undefined ? await this.#list(kind, { namespace }) : all;
    return own === "forbidden" ? unreachable(`no permission to list ${groupResourceOf(kind)}`) : own;
  }

  async #list(kind: Kind, where: Pick<Where, "namespace">): Promise<Fact<readonly KubeObject[]> | "forbidden"> {
    try {
      const { items } = await this.#options.client.list(kind, where);
      return known(items.map((item) => ({ ...item, kind: kind.kind })));
    } catch (error) {
      if (isReason(error, "Forbidden")) return "forbidden";
      if (isReason(error, "NotFound", "MethodNotAllowed")) return known([]);
      return unreachable(error instanceof Error ? error.message : String(error));
    }
  }
}
