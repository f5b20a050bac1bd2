import { groupResourceOf, type Kind, type KubeObject, type ObjectOf, type Ref } from "@trivium/kube";
import { askingKey, type Part, partOf, partsOf, type Query, type Reader, type Where } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { Prober } from "../prober.ts";
import type { Caches } from "./caches.ts";
import { isLookedUp, secretByName } from "./looked-up.ts";
import { factIn, nearestOf } from "./reader-facts.ts";
import { type AnyPart, type Read, readOfAnswer, readOfList, readOfObject } from "./reads.ts";

/** Reads caches and answers for one pass, and writes down what was read. */
export class RecordingReader implements Reader {
  readonly reads = new Map<string, Read>();
  readonly #caches: Caches;
  readonly #prober: Prober;
  readonly #allowed: ReadonlySet<string>;

  constructor(caches: Caches, prober: Prober, allowed: ReadonlySet<string>) {
    this.#caches = caches;
    this.#prober = prober;
    this.#allowed = allowed;
  }

  get<T extends Kind>(kind: T, ref: Ref): Fact<ObjectOf<T>> {
    if (isLookedUp(kind)) return this.#lookUp(kind, ref) as Fact<ObjectOf<T>>;
    this.#note(readOfObject(kind, ref));
    return factIn(this.#cacheOf(kind), ref) as Fact<ObjectOf<T>>;
  }

  nearest<T extends Kind>(twin: readonly T[], ref: Ref): Fact<ObjectOf<T>> {
    return nearestOf(this, twin, ref);
  }

  list<T extends Kind>(kind: T, where: Where): readonly ObjectOf<T>[] {
    this.#note(readOfList(kind, where));
    return this.#cacheOf(kind).list(where) as readonly KubeObject[] as readonly ObjectOf<T>[];
  }

  getPart<T extends Kind, P>(kind: T, ref: Ref, part: Part<ObjectOf<T>, P>): Fact<P> {
    if (isLookedUp(kind)) return partOf(this.get(kind, ref), part);
    this.#note(readOfObject(kind, ref, part as AnyPart));
    return partOf(factIn(this.#cacheOf(kind), ref) as Fact<ObjectOf<T>>, part);
  }

  listParts<T extends Kind, P>(kind: T, where: Where, part: Part<ObjectOf<T>, P>): readonly NonNullable<P>[] {
    this.#note(readOfList(kind, where, part as AnyPart));
    return partsOf(this.#cacheOf(kind).list(where) as readonly KubeObject[] as readonly ObjectOf<T>[], part);
  }

  ask<A, R>(query: Query<A, R>, args: A): Fact<R> {
    this.#note(readOfAnswer(askingKey(query, args)));
    return this.#prober.ask(query, args);
  }

  #lookUp(kind: Kind, { namespace = "", name }: Ref): Fact<KubeObject> {
    this.#refuseUndeclared(kind);
    return this.ask(secretByName, { namespace, name });
  }

  #note(read: Read): void {
    this.reads.set(read.token, read);
  }

  #cacheOf(kind: Kind) {
    this.#refuseUndeclared(kind);
    return this.#caches.of(kind);
  }

  #refuseUndeclared(kind: Kind): void {
    if (this.#allowed.has(groupResourceOf(kind))) return;
    throw new Error(`${kind.kind} is read but not listed in \`reads\`; add it`);
  }
}
