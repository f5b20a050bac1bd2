import { isAsleep, isLiving, isLoading, judgeIdle, type Sleeper, selectVictim, type Workload } from "@trivium/engines";
import { controllerOf, type KubeObject } from "@trivium/kube";
import type { Cancel, Clock, Log } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import { annotationOf, annotations, idleTimeoutOf } from "../annotations.ts";
import type { ClusterView } from "../cluster/view.ts";
import type { Target } from "../upstream/target.ts";
import type { Targets } from "../upstream/targets.ts";
import { Departures } from "./departures.ts";
import type { ScaleEvents } from "./scale-events.ts";
import type { ScaleTop } from "./scale-top.ts";
import type { Scaler } from "./scaler.ts";

/** Other processes that send requests to the same targets. */
export interface Fleet {
  /** Brings requests and last use of the targets up to date. Never rejects. */
  refresh(): Promise<void>;
  /** Closes targets everywhere; false, and none is closed, when one of them has requests. */
  close(key: string, targets: readonly Target[]): Promise<boolean>;
  open(key: string): void;
}

export interface IdlerOptions {
  readonly view: ClusterView;
  readonly targets: Targets;
  readonly scaler: Scaler;
  readonly events: ScaleEvents;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChange: () => void;
  readonly fleet?: Fleet | undefined;
}

/** A workload that may go to zero, with everything that hangs on it. */
interface Candidate {
  readonly top: ScaleTop;
  readonly workloads: Workload[];
  readonly targets: readonly Target[];
  readonly sleeper: Sleeper;
}

/** Puts workloads to zero that nobody uses: when their time is up, or when another one needs the room. */
export class Idler {
  readonly #options: IdlerOptions;
  readonly #timers = new Map<string, Cancel>();
  /** When each was first seen ready, so that neither a fresh start nor a restart of the gateway counts as idle time. */
  readonly #readySince = new Map<string, Instant>();
  readonly #departures: Departures;
  /** Timeouts that cannot be read and were told of, by the uid of their object. */
  readonly #unreadable = new Map<string, string>();
  #isStopped = false;
  #isRefreshing = false;

  constructor(options: IdlerOptions) {
    this.#options = options;
    this.#departures = new Departures(options);
  }

  /** Looks at everything again: after each change of the cluster. */
  review(): void {
    const { fleet } = this.#options;
    if (fleet === undefined) this.#reviewAll();
    else if (!this.#isRefreshing) this.#reviewAfter(fleet.refresh());
  }

  #reviewAfter(refreshed: Promise<void>): void {
    this.#isRefreshing = true;
    void refreshed.then(() => {
      this.#isRefreshing = false;
      this.#reviewAll();
    });
  }

  #reviewAll(): void {
    if (this.#isStopped) return;
    this.#departures.review();
    const candidates = this.#candidates();
    const present = new Set(candidates.map(({ top }) => top.key));
    for (const [key, cancel] of this.#timers) {
      if (present.has(key)) continue;
      cancel();
      this.#timers.delete(key);
    }
    for (const key of this.#readySince.keys()) if (!present.has(key)) this.#readySince.delete(key);
    for (const candidate of candidates) this.#judge(candidate);
  }

  /** A request to this target has ended or it was just closed: its idle time starts again. */
  reviewOne(key: string): void {
    if (this.#options.fleet !== undefined) {
      this.review();
      return;
    }
    const candidate = this.#candidates().find(({ top }) => top.key === key);
    if (candidate !== undefined) this.#judge(candidate);
  }

  /**
   * Something that is waited for does not fit. Says whether waiting is worth while: somebody makes room, or just did.
   */
  freeSpace(forTarget: Target): "making" | "nobody" {
    if (this.#departures.isMakingSpace) return "making";
    const candidates = this.#candidates().filter(({ targets }) => !targets.includes(forTarget));
    const victim = selectVictim(candidates.map(({ sleeper }) => sleeper));
    const chosen = candidates.find(({ top }) => top.key === victim?.key);
    if (chosen === undefined) return "nobody";
    this.#putToSleep(chosen, forTarget);
    return "making";
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#departures.stop();
    this.#timers.clear();
  }

  #judge(candidate: Candidate): void {
    const { key } = candidate.top;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    const decision = judgeIdle(candidate.sleeper, this.#options.clock.now());
    if (decision.is === "sleep") this.#putToSleep(candidate, undefined);
    if (decision.is === "no") this.#judgeWhenQuiet(candidate);
    if (decision.is === "later") this.#judgeIn(key, decision.at - this.#options.clock.now());
  }

  #judgeIn(key: string, delay: Millis): void {
    this.#timers.set(
      key,
      this.#options.clock.schedule(delay, () => this.reviewOne(key)),
    );
  }

  #judgeWhenQuiet({ top, targets, sleeper }: Candidate): void {
    // Other processes do not report the end of a request; whenever it is, the time after it has to pass first.
    if (this.#options.fleet !== undefined) {
      if (sleeper.requests > 0) this.#judgeIn(top.key, sleeper.idleTimeout);
      return;
    }
    for (const target of targets) if (target.requests > 0) target.onQuiet = () => this.reviewOne(top.key);
  }

  #putToSleep({ top, targets, workloads }: Candidate, taker: Target | undefined) {
    const { scaler, log, onChange, fleet } = this.#options;
    if (this.#departures.has(top.key) || this.#isStopped) return;
    this.#readySince.delete(top.key);
    this.#departures.begin(top.key, workloads, targets, taker);
    const why = taker === undefined ? "after its idle timeout" : `to free capacity for ${taker.name}`;
    log.info({ object: top.key, why }, "scaled to zero");
    const isStillIdle = () => fleet?.close(top.key, targets) ?? targets.every(({ requests }) => requests === 0);
    void scaler
      .sleep(top, why, isStillIdle)
      .then(
        (outcome) => {
          if (outcome === "spared") this.#departures.cancel(top.key);
        },
        (error: unknown) => {
          log.warn({ object: top.key, err: error }, "cannot scale to zero");
          fleet?.open(top.key);
          this.#departures.cancel(top.key);
        },
      )
      .finally(onChange);
  }

  #candidates(): Candidate[] {
    const { view, scaler } = this.#options;
    // Where neither the workload nor anything above it can say so, nothing is to be put to zero.
    const possible = view
      .allWorkloads()
      .filter((workload) => annotationOf(workload, "idleTimeout") !== undefined || controllerOf(workload));
    if (possible.length === 0) return [];
    const topped = possible.map((workload) => ({ workload, top: scaler.topOf(workload) }));
    for (const { workload, top } of topped) for (const object of [workload, top.object]) this.#checkTimeout(object);
    const byTop = Map.groupBy(topped, ({ top }) => top.key);
    const owned = this.#targetsByWorkload();
    return [...byTop.values()].flatMap((group) => {
      const top = group.find(({ top: { idleTimeout } }) => idleTimeout !== undefined)?.top;
      if (top?.idleTimeout === undefined) return [];
      const workloads = group.map(({ workload }) => workload);
      const targets = [...new Set(workloads.flatMap(({ metadata }) => owned.get(metadata.uid ?? "") ?? []))];
      return [{ top, workloads, targets, sleeper: this.#sleeper(top, top.idleTimeout, workloads, targets) }];
    });
  }

  /** Whoever wrote a timeout believes that it holds. */
  #checkTimeout(object: KubeObject): void {
    const text = annotationOf(object, "idleTimeout");
    const { uid = "" } = object.metadata;
    if (text === undefined || idleTimeoutOf(object) !== undefined || this.#unreadable.get(uid) === text) return;
    this.#unreadable.set(uid, text);
    const message = `${annotations.idleTimeout} ${JSON.stringify(text)} is not a valid duration (expected e.g. 10m), so idle scaling is off`;
    this.#options.events.tell(object, { type: "Warning", reason: "UnreadableIdleTimeout", message });
  }

  #targetsByWorkload(): Map<string, Target[]> {
    const { targets, view } = this.#options;
    const owned = new Map<string, Target[]>();
    for (const target of targets.all()) {
      for (const { metadata } of view.workloads(target.backend)) {
        const key = metadata.uid ?? "";
        owned.set(key, [...(owned.get(key) ?? []), target]);
      }
    }
    return owned;
  }

  #sleeper(top: ScaleTop, idleTimeout: Millis, workloads: readonly Workload[], targets: readonly Target[]): Sleeper {
    const { view, clock } = this.#options;
    const pods = workloads.flatMap((workload) => view.podsOfWorkload(workload));
    const isAwake = workloads.some((workload) => !isAsleep(workload)) && pods.some(isLiving);
    const isBusy = workloads.some(isChanging) || pods.some(isLoading) || this.#departures.has(top.key);
    if (!isAwake || isBusy) this.#readySince.delete(top.key);
    else if (!this.#readySince.has(top.key)) this.#readySince.set(top.key, clock.now());
    const used = targets.map(({ lastUsed = 0 }) => lastUsed);
    return {
      key: top.key,
      idleTimeout,
      lastUsed: Math.max(this.#readySince.get(top.key) ?? clock.now(), ...used),
      requests: targets.reduce((sum, { requests }) => sum + requests, 0),
      isAwake,
      isLoading: isBusy,
    };
  }
}

/** A rollout under way: what it will look like is not known yet. */
function isChanging({ metadata, status }: Workload): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}
