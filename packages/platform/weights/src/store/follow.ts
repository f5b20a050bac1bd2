import { setTimeout as sleep } from "node:timers/promises";
import type { Json, Millis } from "@trivium/std";
import { stoppedFault } from "../fault.ts";
import { isKilled, Lease, type LeaseRule, type LeaseState, readLease } from "./lease.ts";

export interface FollowOptions {
  readonly rule: LeaseRule;
  readonly signal: AbortSignal;
  /** Told what the holder says of itself while we wait. */
  onNote(note: Json): void;
}

/** Takes a lease, or follows its holder until it is free or dead and takes it then. */
export async function takeOrFollow(directory: string, name: string, options: FollowOptions): Promise<Lease> {
  const silence = new Silence();
  for (;;) {
    if (options.signal.aborted) throw stoppedFault();
    const state = await readLease(directory, name);
    const isDead =
      state !== undefined && (isKilled(state) || silence.of(state, performance.now()) > options.rule.expireMs);
    const lease = await Lease.tryTake(directory, name, options.rule, isDead ? state : undefined);
    if (lease !== undefined) return lease;
    if (state !== undefined && state.note !== null) options.onNote(state.note);
    // Volumes that several nodes share tell nobody about changes; looking is the only way.
    await sleep(options.rule.beatMs / 2, undefined, { signal: options.signal }).catch(() => {});
  }
}

/** How long a lease has not changed, by our own clock alone. */
class Silence {
  #last = "";
  #since: Millis = 0;

  of(state: LeaseState, now: Millis): Millis {
    const mark = `${state.generation} ${state.beat}`;
    if (mark !== this.#last) {
      this.#last = mark;
      this.#since = now;
    }
    return now - this.#since;
  }
}
