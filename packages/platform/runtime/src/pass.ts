import { groupResourceOf, type KubeObject } from "@trivium/kube";
import type { AnyReconciler, Decision } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { RecordingReader } from "./cache-reader.ts";
import type { Caches } from "./caches.ts";
import { childrenOf } from "./child.ts";
import { type Read, readOfList, readOfObject } from "./dependants.ts";
import { readOfLevel } from "./pod-security.ts";
import type { Prober } from "./prober.ts";

export interface Pass {
  readonly observed: unknown;
  readonly decision: Decision<unknown>;
  readonly reads: ReadonlyMap<string, Read>;
}

/** Everything a reconciler may read: what it lists, what it writes, and its own kind. */
export function readableBy(reconciler: AnyReconciler): ReadonlySet<string> {
  const kinds = [reconciler.kind, ...reconciler.reads, ...reconciler.writes];
  return new Set(kinds.map((kind) => groupResourceOf(kind)));
}

/** Looks and decides, all at once: nothing can happen in between. */
export class Passes {
  readonly #caches: Caches;
  readonly #prober: Prober;
  readonly #readable = new WeakMap<AnyReconciler, ReadonlySet<string>>();

  constructor(caches: Caches, prober: Prober) {
    this.#caches = caches;
    this.#prober = prober;
  }

  run(reconciler: AnyReconciler, object: KubeObject, now: Instant): Pass {
    const reader = new RecordingReader(this.#caches, this.#prober, this.#allowed(reconciler));
    const observed: unknown = reconciler.observe(object, reader);
    const decision = reconciler.decide(object, observed, now) as Decision<unknown>;
    for (const read of readsOfWriting(reconciler, object, decision)) reader.reads.set(read.token, read);
    return { observed, decision, reads: reader.reads };
  }

  #allowed(reconciler: AnyReconciler): ReadonlySet<string> {
    const known = this.#readable.get(reconciler) ?? readableBy(reconciler);
    this.#readable.set(reconciler, known);
    return known;
  }
}

/** Carrying out a decision compares it with what is there: somebody who changes or deletes a child wakes its owner. */
function readsOfWriting(reconciler: AnyReconciler, object: KubeObject, decision: Decision<unknown>): Read[] {
  if (decision.do !== "converge") return [];
  const children = childrenOf(object, decision.children).flatMap((child) => [
    readOfObject(child.kind, child.ref),
    ...readOfLevel(reconciler, child),
  ]);
  const owner = object.metadata.uid;
  return owner === undefined
    ? children
    : [...children, ...reconciler.writes.map((kind) => readOfList(kind, { owner }))];
}
