import type { KubeObject } from "@trivium/kube";
import type { Decision } from "@trivium/reconcile";
import { deepEqual, type Instant } from "@trivium/std";
import { touchable } from "./apply/satisfied.ts";
import type { Change } from "./caches/cache.ts";
import { Recent } from "./caches/recent.ts";
import type { Pass } from "./pass.ts";

/** Changes that do not concern an object follow soon after its pass. Later ones cost a decision that writes nothing. */
const maxKept = 500;

interface Observation {
  readonly object: KubeObject;
  observed: unknown;
  /** When time alone changes the decision. */
  readonly until: Instant;
}

/**
 * What each object's last pass observed, where that pass had nothing to write. A decision depends on the object, what is observed and the time
 * only, so while these are the same there is nothing to decide again: most changes of a pod or a Deployment do not concern its readers.
 */
export class Observations {
  readonly #quiet = new Recent<Observation>(maxKept);
  /** Readers whose pass is under way, and whether it still counts. */
  readonly #open = new Set<string>();

  /** The pass that begins replaces what is known. */
  begin(reader: string): void {
    this.#quiet.delete(reader);
    this.#open.add(reader);
  }

  /** The pass ended without a write and without a failure. */
  settle(reader: string, object: KubeObject, { observed, decision }: Pass, now: Instant): void {
    if (this.#open.delete(reader)) this.#quiet.set(reader, { object, observed, until: endOf(decision, now) });
  }

  clear(): void {
    this.#quiet.clear();
    this.#open.clear();
  }

  /** The next pass decides, whatever it observes. */
  forget(reader: string): void {
    this.#quiet.delete(reader);
    this.#open.delete(reader);
  }

  /** The last quiet pass, if one now would decide the same. */
  unchanged(
    reader: string,
    { object, observed, now }: { readonly object: KubeObject; readonly observed: unknown; readonly now: Instant },
  ): Observation | undefined {
    const last = this.#quiet.get(reader);
    if (last === undefined || last.object !== object || now >= last.until) return undefined;
    if (!deepEqual(last.observed, observed)) return undefined;
    // The newer one shares its parts with the caches.
    last.observed = observed;
    return last;
  }
}

function endOf(decision: Decision<unknown>, now: Instant): Instant {
  const recheckIn = decision.do === "release" ? undefined : decision.recheckIn;
  return recheckIn === undefined ? Number.POSITIVE_INFINITY : now + recheckIn;
}

/** Whether only the status of an object changed, so that nothing that was applied to it can be undone. */
export function isOfStatusOnly({ old, next }: Change): boolean {
  return old !== undefined && next !== undefined && deepEqual(touchable(old), touchable(next));
}
