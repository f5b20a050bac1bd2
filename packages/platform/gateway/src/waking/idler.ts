import { isAsleep, isLiving, isLoading, judgeIdle, type Sleeper, selectVictim, type Workload } from "@trivium/engines";
import type { Cancel, Clock, Log } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import type { ClusterView } from "../cluster/view.ts";
import type { Target } from "../upstream/target.ts";
import type { Targets } from "../upstream/targets.ts";
import type { ScaleTop } from "./scale-top.ts";
import type { Scaler } from "./scaler.ts";

export interface IdlerOptions {
  readonly view: ClusterView;
  readonly targets: Targets;
  readonly scaler: Scaler;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChange: () => void;
}

/** A workload that may go to zero, with everything that hangs on it. */
interface Candidate {
  readonly top: ScaleTop;
  readonly workloads: Workload[];
  readonly targets: readonly Target[];
  readonly sleeper: Sleeper;
}

/** A scheduler may need so long to see that room was made. */
const settling: Millis = 10_000;
/** A pod that lives on so long after its workload was woken again was never told to end. */
const reprieve: Millis = 3_000;

/** Puts workloads to zero that nobody uses: when their time is up, or when another one needs the room. */
export class Idler {
  readonly #options: IdlerOptions;
  readonly #timers = new Map<string, Cancel>();
  /** When each was first seen ready, so that neither a fresh start nor a restart of the gateway counts as idle time. */
  readonly #readySince = new Map<string, Instant>();
  readonly #going = new Set<string>();
  /** Put to zero, with pods that have not gone yet. */
  readonly #leaving = new Map<string, readonly Workload[]>();
  readonly #reprieves = new Map<Target, Cancel>();
  #roomMadeAt: Instant | undefined;
  #isStopped = false;

  constructor(options: IdlerOptions) {
    this.#options = options;
  }

  /** Looks at everything again: after each change of the cluster. */
  review(): void {
    if (this.#isStopped) return;
    this.#reviewLeaving();
    this.#reviewClosing();
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
    const candidate = this.#candidates().find(({ top }) => top.key === key);
    if (candidate !== undefined) this.#judge(candidate);
  }

  /**
   * Something that is waited for does not fit. Says whether waiting is worth while: somebody makes room, or just did.
   */
  makeRoom(forTarget: Target): "making" | "nobody" {
    const { clock } = this.#options;
    if (this.#going.size > 0) return "making";
    if (this.#roomMadeAt !== undefined && clock.now() - this.#roomMadeAt < settling) return "making";
    const candidates = this.#candidates().filter(({ targets }) => !targets.includes(forTarget));
    const victim = selectVictim(candidates.map(({ sleeper }) => sleeper));
    const chosen = candidates.find(({ top }) => top.key === victim?.key);
    if (chosen === undefined) return "nobody";
    this.#putToSleep(chosen, `to make room for ${forTarget.name}`);
    return "making";
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    for (const cancel of this.#reprieves.values()) cancel();
    this.#timers.clear();
  }

  #judge(candidate: Candidate): void {
    const { key } = candidate.top;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    const verdict = judgeIdle(candidate.sleeper, this.#options.clock.now());
    if (verdict.is === "sleep") this.#putToSleep(candidate, "because nobody used it");
    if (verdict.is === "no") this.#judgeWhenQuiet(candidate);
    if (verdict.is !== "later") return;
    const delay = verdict.at - this.#options.clock.now();
    this.#timers.set(
      key,
      this.#options.clock.schedule(delay, () => this.reviewOne(key)),
    );
  }

  #judgeWhenQuiet({ top, targets }: Candidate): void {
    for (const target of targets) if (target.requests > 0) target.onQuiet = () => this.reviewOne(top.key);
  }

  #putToSleep({ top, targets, workloads }: Candidate, why: string): void {
    const { scaler, log, clock, onChange } = this.#options;
    if (this.#going.has(top.key) || this.#isStopped) return;
    this.#going.add(top.key);
    this.#readySince.delete(top.key);
    for (const target of targets) target.isClosing = true;
    log.info({ object: top.key, why }, "put to zero");
    const isStillIdle = () => targets.every(({ requests }) => requests === 0);
    scaler
      .sleep(top, isStillIdle)
      .then(
        () => {
          if (!isStillIdle()) this.#reopen(targets);
          this.#whenGone(top.key, workloads);
        },
        (error: unknown) => {
          log.warn({ object: top.key, err: error }, "could not be put to zero");
          this.#reopen(targets);
          this.#going.delete(top.key);
          this.#timers.set(
            top.key,
            clock.schedule(settling, () => this.reviewOne(top.key)),
          );
        },
      )
      .finally(onChange);
  }

  #reopen(targets: readonly Target[]): void {
    for (const target of targets) target.isClosing = false;
  }

  /** Opens targets again whose old replicas are gone, or were spared because someone woke them in time. */
  #reviewClosing(): void {
    const { targets, clock, view } = this.#options;
    for (const target of targets.all()) {
      if (!target.isClosing) continue;
      if (target.upstreams.length === 0) target.isClosing = false;
      else if (view.workloads(target.backend).some((workload) => !isAsleep(workload)) && !this.#reprieves.has(target)) {
        const reopen = () => {
          this.#reprieves.delete(target);
          const isAwake = view.workloads(target.backend).some((workload) => !isAsleep(workload));
          if (isAwake) target.isClosing = false;
          this.#options.onChange();
        };
        this.#reprieves.set(target, clock.schedule(reprieve, reopen));
      }
    }
  }
  #whenGone(key: string, workloads: readonly Workload[]): void {
    const { view, clock } = this.#options;
    if (!workloads.some((workload) => view.podsOfWorkload(workload).some(isLiving))) {
      this.#going.delete(key);
      this.#roomMadeAt = clock.now();
      return;
    }
    this.#leaving.set(key, workloads);
  }
  /** Notes which of those put to zero have lost their last pod. */
  #reviewLeaving(): void {
    for (const [key, workloads] of [...this.#leaving]) {
      this.#leaving.delete(key);
      this.#whenGone(key, workloads);
    }
  }

  #candidates(): Candidate[] {
    const { view, scaler } = this.#options;
    const byTop = Map.groupBy(
      view.allWorkloads().map((workload) => ({ workload, top: scaler.topOf(workload) })),
      ({ top }) => top.key,
    );
    const owned = this.#targetsByWorkload();
    return [...byTop.values()].flatMap((group) => {
      const top = group.find(({ top: { idleTimeout } }) => idleTimeout !== undefined)?.top;
      if (top?.idleTimeout === undefined) return [];
      const workloads = group.map(({ workload }) => workload);
      const targets = [...new Set(workloads.flatMap(({ metadata }) => owned.get(metadata.uid ?? "") ?? []))];
      return [{ top, workloads, targets, sleeper: this.#sleeper(top, top.idleTimeout, workloads, targets) }];
    });
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
    const isBusy = workloads.some(isChanging) || pods.some(isLoading) || this.#going.has(top.key);
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
