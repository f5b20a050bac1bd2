import { type AffinityCounts, countAffinity } from "./affinity-counts.ts";
import type { Fleet } from "./fleet.ts";
import type { Guest } from "./guest.ts";
import { type Spread, spreadsOf } from "./spread.ts";
import { isClaimTaken, type VolumeNeeds, volumeNeedsOf } from "./volumes.ts";

/** One guest looking for a place, with what it has to know of all places at once: counted when first needed. */
export class Trial {
  readonly guest: Guest;
  readonly fleet: Fleet;
  #affinity: AffinityCounts | undefined;
  #spreads: readonly Spread[] | undefined;
  #volumes: VolumeNeeds | undefined;
  #claimTaken: boolean | undefined;

  constructor(guest: Guest, fleet: Fleet) {
    this.guest = guest;
    this.fleet = fleet;
  }

  get affinity(): AffinityCounts {
    this.#affinity ??= countAffinity(this.guest, this.fleet);
    return this.#affinity;
  }

  get spreads(): readonly Spread[] {
    this.#spreads ??= spreadsOf(this.guest, this.fleet, "DoNotSchedule");
    return this.#spreads;
  }

  get volumes(): VolumeNeeds {
    this.#volumes ??= volumeNeedsOf(this.guest, this.fleet);
    return this.#volumes;
  }

  get isClaimTaken(): boolean {
    this.#claimTaken ??= isClaimTaken(this.guest, this.fleet);
    return this.#claimTaken;
  }
}
