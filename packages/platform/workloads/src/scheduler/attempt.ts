import { type AffinityCounts, countAffinity } from "./filters/affinity-counts.ts";
import { type Spread, spreadsOf } from "./filters/spread.ts";
import { isClaimTaken, type VolumeNeeds, volumeNeedsOf } from "./filters/volumes.ts";
import type { PodInfo } from "./snapshot/pod-info.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";

/** One guest looking for a place, with what it has to know of all places at once: counted when first needed. */
export class Attempt {
  readonly podInfo: PodInfo;
  readonly snapshot: Snapshot;
  #affinity: AffinityCounts | undefined;
  #spreads: readonly Spread[] | undefined;
  #volumes: VolumeNeeds | undefined;
  #claimTaken: boolean | undefined;

  constructor(podInfo: PodInfo, snapshot: Snapshot) {
    this.podInfo = podInfo;
    this.snapshot = snapshot;
  }

  get affinity(): AffinityCounts {
    this.#affinity ??= countAffinity(this.podInfo, this.snapshot);
    return this.#affinity;
  }

  get spreads(): readonly Spread[] {
    this.#spreads ??= spreadsOf(this.podInfo, this.snapshot, "DoNotSchedule");
    return this.#spreads;
  }

  get volumes(): VolumeNeeds {
    this.#volumes ??= volumeNeedsOf(this.podInfo, this.snapshot);
    return this.#volumes;
  }

  get isClaimTaken(): boolean {
    this.#claimTaken ??= isClaimTaken(this.podInfo, this.snapshot);
    return this.#claimTaken;
  }
}
