import { isLiving, type Workload } from "@trivium/engines";
import { findCondition, type Pod } from "@trivium/kube";
import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import type { ClusterView } from "../cluster/view.ts";
import type { Target } from "../upstream/target.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** A scheduler may need so long to see that room was made. */
const settling: Millis = 10_000;
/** A pod that lives on so long after its workload was woken again was never told to end. */
const reprieve: Millis = 3_000;

interface Departure {
  readonly workloads: readonly Workload[];
  /** Those that are to end. */
  readonly pods: ReadonlySet<string | undefined>;
  readonly targets: Map<Target, readonly Upstream[]>;
  /** Who gets the room; nobody when it goes because its own time is up. */
  readonly taker: Target | undefined;
  reprieve: Cancel | undefined;
}

export interface DeparturesOptions {
  readonly view: ClusterView;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** Those that are being put to zero. Their targets get no request until the replicas they have now are gone. */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #leaving = new Map<string, Departure>();
  #lastDone: { readonly at: Instant; readonly taker: Target | undefined } | undefined;
  /** Tells when the scheduler has had its time. */
  #settled: Cancel | undefined;

  constructor(options: DeparturesOptions) {
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#leaving.has(key);
  }

  /** Whether somebody leaves, or left so lately that the scheduler may not know yet. */
  get isMakingSpace(): boolean {
    if (this.#leaving.size > 0) return true;
    if (this.#lastDone === undefined || this.#options.clock.now() - this.#lastDone.at >= settling) return false;
    return this.#lastDone.taker === undefined || !this.#hasPlace(this.#lastDone.taker);
  }

  begin(key: string, workloads: readonly Workload[], targets: readonly Target[], taker: Target | undefined): void {
    for (const target of targets) target.isClosing = true;
    this.#leaving.set(key, {
      workloads,
      pods: new Set(this.#livingPods(workloads).map(({ metadata }) => metadata.uid)),
      targets: new Map(targets.map((target) => [target, target.upstreams])),
      taker,
      reprieve: undefined,
    });
  }

  /** It stays after all. Who wanted its room waits before asking again, lest one that cannot be written is asked without end. */
  cancel(key: string): void {
    const departure = this.#leaving.get(key);
    if (departure === undefined) return;
    departure.reprieve?.();
    for (const target of departure.targets.keys()) target.isClosing = false;
    this.#leaving.delete(key);
    this.#noteDone(undefined);
  }

  /** Looks who has gone: after each change of the cluster. */
  review(): void {
    for (const [key, departure] of [...this.#leaving]) {
      this.#openTargets(departure);
      const isGone = !this.#livingPods(departure.workloads).some(({ metadata }) => departure.pods.has(metadata.uid));
      if (isGone && departure.targets.size === 0) this.#finish(key, departure);
      else this.#considerReprieve(key, departure);
    }
  }

  stop(): void {
    this.#settled?.();
    for (const { reprieve } of this.#leaving.values()) reprieve?.();
  }

  #openTargets({ targets }: Departure): void {
    for (const [target, old] of targets) {
      if (target.upstreams.some((upstream) => old.includes(upstream))) continue;
      target.isClosing = false;
      targets.delete(target);
    }
  }

  #finish(key: string, departure: Departure): void {
    departure.reprieve?.();
    this.#leaving.delete(key);
    this.#noteDone(departure.taker);
  }

  #noteDone(taker: Target | undefined): void {
    const { clock, onChange } = this.#options;
    this.#lastDone = { at: clock.now(), taker };
    this.#settled?.();
    this.#settled = clock.schedule(settling, onChange);
  }

  /** Whether the scheduler has found a node for it: then the next one in need can be thought of. */
  #hasPlace({ backend }: Target): boolean {
    const pods = this.#options.view.podsOfService(backend).filter(isLiving);
    const hasNone = ({ status }: Pod): boolean => findCondition(status?.conditions, "PodScheduled")?.status === "False";
    return pods.length > 0 && !pods.some(hasNone);
  }

  /** Woken again before anybody had acted on the zero: what lives on then was spared. */
  #considerReprieve(key: string, departure: Departure): void {
    const { view, clock, onChange } = this.#options;
    const isAwake = () => departure.workloads.some((workload) => view.isAwake(workload));
    if (departure.reprieve !== undefined || !isAwake()) return;
    departure.reprieve = clock.schedule(reprieve, () => {
      departure.reprieve = undefined;
      if (isAwake()) this.cancel(key);
      onChange();
    });
  }

  #livingPods(workloads: readonly Workload[]) {
    return workloads.flatMap((workload) => this.#options.view.podsOfWorkload(workload)).filter(isLiving);
  }
}
