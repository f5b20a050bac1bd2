import type { WakeState } from "@trivium/domain";
import { summarizeWaking } from "@trivium/engines";
import type { KubeClient } from "@trivium/kube";
import type { Cancel, Clock, Log } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import { annotationOf } from "../annotations.ts";
import type { ClusterView } from "../cluster/view.ts";
import { type Failure, fail } from "../failure.ts";
import type { Limits } from "../limits.ts";
import type { Request, Target } from "../upstream/target.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Idler } from "./idler.ts";
import { LogNews, logKey, plainLine } from "./log-news.ts";
import type { Scaler } from "./scaler.ts";

/** A request that waits for a replica. */
export interface Waiter extends Request {
  /** What it keeps in memory meanwhile. */
  readonly bytes: number;
  /** Wants to hear what is going on. */
  readonly isCurious: boolean;
  onReady(upstream: Upstream): void;
  onFailure(failure: Failure): void;
  onNews(news: string): void;
}

export interface HoldsOptions {
  readonly client: KubeClient;
  readonly view: ClusterView;
  readonly scaler: Scaler;
  /** Who makes room for what does not fit. */
  readonly idler: Pick<Idler, "makeRoom">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Limits;
  readonly log: Log;
}

interface Room {
  readonly target: Target;
  /** In the order they came. */
  readonly waiters: Map<Waiter, Cancel>;
  news: string;
  log: LogNews | undefined;
  /** When it was first seen that no node fits. */
  unschedulableSince: Instant | undefined;
  /** Looks again when an unschedulable pod has had its time. */
  recheck: Cancel | undefined;
}

/** Where requests wait for a Service that has no ready replica: bounded, first come first served, and never longer than agreed. */
export class Holds {
  readonly #options: HoldsOptions;
  readonly #rooms = new Map<Target, Room>();
  #held = 0;
  #bytes = 0;

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#held;
  }

  heldFor(target: Target): number {
    return this.#rooms.get(target)?.waiters.size ?? 0;
  }

  /** The words for whoever waits for a target now. */
  newsOf(target: Target): string {
    return this.#rooms.get(target)?.news ?? "waiting";
  }

  hold(target: Target, waiter: Waiter) {
    const { limits, clock } = this.#options;
    const room = this.#rooms.get(target) ?? this.#open(target);
    const tooMany =
      room.waiters.size >= limits.heldPerModel ||
      this.#held >= limits.held ||
      this.#bytes + waiter.bytes > limits.heldBytes;
    if (tooMany) {
      if (room.waiters.size === 0) this.#close(room);
      const message = `${target.name} is not ready (${room.news}), and too many requests wait already; try again later`;
      return waiter.onFailure({ status: 429, code: "too_many_waiting", message, retryAfter: 10 });
    }
    this.#held += 1;
    this.#bytes += waiter.bytes;
    room.waiters.set(
      waiter,
      clock.schedule(limits.holdDeadline, () => this.#expire(room, waiter)),
    );
    this.#review(room);
  }

  /** The client has gone. */
  leave(target: Target, waiter: Waiter): void {
    const room = this.#rooms.get(target);
    if (room !== undefined) this.#drop(room, waiter);
  }

  review(): void {
    for (const room of [...this.#rooms.values()]) this.#review(room);
  }

  stop(): void {
    for (const room of [...this.#rooms.values()])
      this.#failAll(room, fail(503, "shutting_down", "The gateway is shutting down"));
  }

  #open(target: Target): Room {
    const room: Room = {
      target,
      waiters: new Map(),
      news: "waiting",
      log: undefined,
      recheck: undefined,
      unschedulableSince: undefined,
    };
    this.#rooms.set(target, room);
    return room;
  }

  #close(room: Room) {
    room.log?.stop();
    room.recheck?.();
    this.#rooms.delete(room.target);
  }

  #drop(room: Room, waiter: Waiter): boolean {
    const cancel = room.waiters.get(waiter);
    if (cancel === undefined) return false;
    cancel();
    room.waiters.delete(waiter);
    this.#held -= 1;
    this.#bytes -= waiter.bytes;
    if (room.waiters.size === 0) this.#close(room);
    return true;
  }

  #expire(room: Room, waiter: Waiter) {
    if (!this.#drop(room, waiter)) return;
    const message = `${room.target.name} was not ready in time: ${room.news}`;
    waiter.onFailure({ status: 503, code: "model_not_ready", message, retryAfter: 30 });
  }

  #failAll(room: Room, failure: Failure) {
    for (const waiter of [...room.waiters.keys()]) if (this.#drop(room, waiter)) waiter.onFailure(failure);
  }

  #review(room: Room) {
    if (this.#rooms.get(room.target) !== room) return;
    if (room.target.upstreams.length > 0 && !room.target.isClosing) return this.#releaseAll(room);
    const { view } = this.#options;
    const { backend } = room.target;
    const service = view.service(backend);
    if (service === undefined) {
      return this.#failAll(room, fail(503, "service_gone", `Service ${room.target.name} does not exist any more`));
    }
    const closed = annotationOf(service, "closed");
    if (closed !== undefined) return this.#failAll(room, fail(503, "model_closed", `${room.target.name}: ${closed}`));
    this.#act(room, summarizeWaking(view.workloads(backend), view.podsOfService(backend)));
  }

  #releaseAll(room: Room) {
    for (const waiter of [...room.waiters.keys()]) {
      const upstream = room.target.pick(this.#options.random, waiter);
      if (upstream === undefined) return;
      if (this.#drop(room, waiter)) waiter.onReady(upstream);
      else upstream.release();
    }
  }

  #act(room: Room, state: WakeState) {
    const { name } = room.target;
    if (state.is !== "unschedulable") room.unschedulableSince = undefined;
    switch (state.is) {
      case "nobody":
        return this.#failAll(room, fail(503, "no_endpoints", `Service ${name} has no ready endpoints: ${state.why}`));
      case "stuck":
        return this.#failAll(room, fail(503, "model_cannot_start", `${name} cannot start: ${state.why}`));
      case "asleep":
        this.#tell(room, "waking");
        return this.#wake(room);
      case "unschedulable":
        return this.#actOnUnschedulable(room, state);
      case "coming":
        this.#follow(room, state.reading);
        if (room.log?.hasSpoken !== true) this.#tell(room, state.what);
        return;
    }
  }

  #actOnUnschedulable(room: Room, state: Extract<WakeState, { is: "unschedulable" }>) {
    const { idler, clock, limits } = this.#options;
    this.#tell(room, `scheduling: ${state.why}`);
    const isHopeful = state.needsRoom && idler.makeRoom(room.target) === "making";
    room.unschedulableSince ??= state.since ?? clock.now();
    const left = room.unschedulableSince + limits.unschedulableGrace - clock.now();
    if (!isHopeful && left <= 0) {
      return this.#failAll(room, fail(503, "model_cannot_start", `${room.target.name} cannot start: ${state.why}`));
    }
    room.recheck?.();
    room.recheck = clock.schedule(Math.max(left, 1_000), () => this.#review(room));
  }

  #wake(room: Room): void {
    const { view, scaler, log } = this.#options;
    for (const workload of view.workloads(room.target.backend)) {
      scaler.wake(workload).catch((error: unknown) => {
        log.warn({ target: room.target.name, err: error }, "could not be woken");
        const why = error instanceof Error ? error.message : String(error);
        this.#failAll(room, fail(503, "model_cannot_start", `${room.target.name} could not be woken: ${why}`));
      });
    }
  }

  #follow(room: Room, reading: Extract<WakeState, { is: "coming" }>["reading"]): void {
    const isWanted = reading !== undefined && [...room.waiters.keys()].some(({ isCurious }) => isCurious);
    const source = isWanted
      ? { ...reading, pod: { namespace: room.target.backend.namespace, name: reading.pod } }
      : undefined;
    if (room.log?.key === (source && logKey(source))) return;
    room.log?.stop();
    room.log = source && new LogNews(this.#options.client, source, (news) => this.#tell(room, news));
  }

  #tell(room: Room, text: string): void {
    const news = plainLine(text);
    if (news === room.news) return;
    room.news = news;
    for (const waiter of room.waiters.keys()) waiter.onNews(news);
  }
}
