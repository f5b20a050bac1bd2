import type { KubeObject } from "@trivium/kube";
import type { AnyReconciler, Decision } from "@trivium/reconcile";
import { deepEqual, type Instant } from "@trivium/std";
import { touchable } from "./apply/satisfied.ts";
import type { Change } from "./caches/cache.ts";
import { Recent } from "./caches/recent.ts";
import type { Pass } from "./pass.ts";

/** Changes that do not concern an object follow soon after its pass. Later ones cost a decision that writes nothing. */
const maxKept = 500;

/** The status that a pass wrote always comes back, at last when the server has answered everyone else. */
const maxAwaited = 10_000;

interface Observation {
  object: KubeObject;
  /** The version that the pass wrote, where that was the status alone. */
  written?: string | undefined;
  observed: unknown;
  /** When time alone changes the decision. */
  readonly until: Instant;
}

/**
 * What each object's last pass observed, where that pass had nothing to write but the status. A decision depends on the object, what is
 * observed and the time only, so while these are the same there is nothing to decide again: most changes of a pod or a Deployment do not
 * concern its readers.
 */
export class Observations {
  readonly #quiet = new Recent<Observation>(maxKept);
  /** Those whose status was written and has not come back: with many objects at once that is long after the pass. */
  readonly #awaited = new Recent<Observation>(maxAwaited);
  /** Readers whose pass is under way, and whether it still counts. */
  readonly #open = new Set<string>();

  /** The pass that begins replaces what is known. */
  begin(reader: string): void {
    this.#delete(reader);
    this.#open.add(reader);
  }

  /** The pass ended without a failure and without a write, or with a write of the status alone, which `written` is the version of. */
  settle(reader: string, object: KubeObject, { observed, decision }: Pass, { now, written }: Settled): void {
    const kept = written === undefined ? this.#quiet : this.#awaited;
    if (this.#open.delete(reader)) kept.set(reader, { object, observed, until: endOf(decision, now), written });
  }

  clear(): void {
    this.#quiet.clear();
    this.#awaited.clear();
    this.#open.clear();
  }

  /** The next pass decides, whatever it observes. */
  forget(reader: string): void {
    this.#delete(reader);
    this.#open.delete(reader);
  }

  /** The last quiet pass, if one now would decide the same. */
  unchanged(reader: string, { object, observed, now, recalls, observe }: Observing): Observation | undefined {
    const last = this.#awaited.get(reader) ?? this.#quiet.get(reader);
    if (last === undefined || now >= last.until) return undefined;
    if (last.object !== object && !isOwnStatus(last, { object, recalls })) return undefined;
    // What is chosen can end what is looked at: then the rest is the same if it looks the same without that status.
    const isSame = deepEqual(last.observed, observed);
    if (!isSame && (last.object === object || !deepEqual(last.observed, observe(last.object)))) return undefined;
    // The newer ones share their parts with the caches.
    last.observed = observed;
    if (last.object !== object) this.#arrive(reader, last);
    last.object = object;
    return last;
  }

  /** What was written has come back. */
  #arrive(reader: string, last: Observation): void {
    this.#awaited.delete(reader);
    this.#quiet.set(reader, last);
  }

  #delete(reader: string): void {
    this.#awaited.delete(reader);
    this.#quiet.delete(reader);
  }
}

interface Settled {
  readonly now: Instant;
  readonly written?: string | undefined;
}

interface Recalling {
  readonly object: KubeObject;
  readonly recalls: AnyReconciler["recalls"];
}

interface Observing extends Recalling {
  readonly observed: unknown;
  readonly now: Instant;
  /** What is observed now of the object as it was. */
  readonly observe: (object: KubeObject) => unknown;
}

/** Whether the object differs from the one that was decided by what was written of it alone, and that is nothing the decision recalls. */
function isOwnStatus({ object: before, observed, written }: Observation, { object, recalls }: Recalling): boolean {
  if (recalls === undefined || written === undefined || object.metadata.resourceVersion !== written) return false;
  return (
    deepEqual(recalls(before, observed), recalls(object, observed)) && deepEqual(touchable(before), touchable(object))
  );
}

function endOf(decision: Decision<unknown>, now: Instant): Instant {
  const recheckIn = decision.do === "release" ? undefined : decision.recheckIn;
  return recheckIn === undefined ? Number.POSITIVE_INFINITY : now + recheckIn;
}

/** Whether only the status of an object changed, so that nothing that was applied to it can be undone. */
export function isOfStatusOnly({ old, next }: Change): boolean {
  return old !== undefined && next !== undefined && deepEqual(touchable(old), touchable(next));
}
