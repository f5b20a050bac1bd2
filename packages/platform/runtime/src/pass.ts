import { groupResourceOf, type KubeObject } from "@trivium/kube";
import type { AnyReconciler, Decision } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { childrenOf } from "./apply/child.ts";
import { readOfLevel } from "./apply/pod-security.ts";
import { RecordingReader } from "./caches/cache-reader.ts";
import type { Caches } from "./caches/caches.ts";
import { type Read, readOfObject, readOfOwned } from "./caches/reads.ts";
import type { Prober } from "./prober.ts";

export interface Pass {
  readonly observed: unknown;
  readonly decision: Decision<unknown>;
  /** What was read in order to observe. */
  readonly reads: ReadonlyMap<string, Read>;
  /** What carrying it out compares with. */
  readonly compared: readonly Read[];
}

/** What a reconciler observed, before it decides. */
export type Observed = Pick<Pass, "observed" | "reads">;

/** Everything a reconciler may read: what it lists, what it writes, and its own kind. */
export function readableBy(reconciler: AnyReconciler): ReadonlySet<string> {
  const patched = (reconciler.patches ?? []).map(({ kind }) => kind);
  const kinds = [reconciler.kind, ...reconciler.reads, ...reconciler.writes, ...patched];
  return new Set(kinds.map((kind) => groupResourceOf(kind)));
}

/** Looks and decides, all at once: nothing can happen in between. */
export class Passes {
  readonly #caches: Caches;
  readonly #prober: Prober;
  readonly #readable = new WeakMap<AnyReconciler, ReadonlySet<string>>();
  readonly #writable = new WeakMap<AnyReconciler, ReadonlySet<string>>();

  constructor(caches: Caches, prober: Prober) {
    this.#caches = caches;
    this.#prober = prober;
  }

  run(reconciler: AnyReconciler, object: KubeObject, now: Instant): Pass {
    return this.decide(reconciler, object, { ...this.observe(reconciler, object), now });
  }

  observe(reconciler: AnyReconciler, object: KubeObject): Observed {
    const reader = new RecordingReader(this.#caches, this.#prober, this.#allowed(reconciler));
    const observed: unknown = reconciler.observe(object, reader);
    return { observed, reads: reader.reads };
  }

  decide(
    reconciler: AnyReconciler,
    object: KubeObject,
    { observed, reads, now }: Observed & { readonly now: Instant },
  ): Pass {
    const decision = reconciler.decide(object, observed, now) as Decision<unknown>;
    return { observed, decision, reads, compared: this.#readsOfWriting(reconciler, object, decision) };
  }

  #allowed(reconciler: AnyReconciler): ReadonlySet<string> {
    const known = this.#readable.get(reconciler) ?? readableBy(reconciler);
    this.#readable.set(reconciler, known);
    return known;
  }

  /** Applying a decision compares it with the live objects: a change or deletion of a child triggers its owner. */
  #readsOfWriting(reconciler: AnyReconciler, object: KubeObject, decision: Decision<unknown>): Read[] {
    if (decision.do !== "converge") return [];
    const reads = childrenOf(object, decision.children).flatMap((child) => [
      readOfObject(child.kind, child.ref),
      ...readOfLevel(reconciler, child),
    ]);
    const { uid } = object.metadata;
    if (uid !== undefined) reads.push(readOfOwned(reconciler.name, this.#written(reconciler), uid));
    return reads;
  }

  #written(reconciler: AnyReconciler): ReadonlySet<string> {
    const known = this.#writable.get(reconciler) ?? new Set(reconciler.writes.map((kind) => groupResourceOf(kind)));
    this.#writable.set(reconciler, known);
    return known;
  }
}
