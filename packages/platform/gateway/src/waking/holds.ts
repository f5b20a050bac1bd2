import type { WakeState } from "@trivium/domain";
import { summarizeWaking } from "@trivium/engines";
import { type KubeClient, Node } from "@trivium/kube";
import type { Cancel, Clock, Log } from "@trivium/runtime";
import type { Instant } from "@trivium/std";
import { annotationOf } from "../annotations.ts";
import type { ClusterView } from "../cluster/view.ts";
import { type Failure, fail } from "../failure.ts";
import type { Limits } from "../limits.ts";
import type { Request, Target } from "../upstream/target.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { WakingControl } from "./control.ts";
import { LogProgress, logKey, plainLine } from "./log-progress.ts";

/** A request that waits for a replica. */
export interface Waiter extends Request {
  /** What it keeps in memory meanwhile. */
  readonly bytes: number;
  /** Wants to hear what is going on. */
  readonly isCurious: boolean;
  onReady(upstream: Upstream): void;
  onFailure(failure: Failure): void;
  onProgress(progress: string): void;
}

export interface HoldsOptions {
  readonly client: KubeClient;
  readonly view: ClusterView;
  /** Starts what is at zero, and frees capacity for what does not fit. */
  readonly control: Pick<WakingControl, "wake" | "freeSpace">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Limits;
  readonly log: Log;
}

interface WaitList {
  readonly target: Target;
  /** In the order they came. */
  readonly waiters: Map<Waiter, Cancel>;
  progress: string;
  log: LogProgress | undefined;
  /** When it was first seen that no node fits. */
  unschedulableSince: Instant | undefined;
  /** Read where a pod does not fit, to say what it needs and what they offer. */
  nodes: readonly Node[] | undefined;
  isReadingNodes: boolean;
  /** Looks again when an unschedulable pod has had its time. */
  recheck: Cancel | undefined;
}

/** Where requests wait for a Service that has no ready replica: bounded, first come first served, and never longer than agreed. */
export class Holds {
  readonly #options: HoldsOptions;
  readonly #waitLists = new Map<Target, WaitList>();
  #held = 0;
  #bytes = 0;

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#held;
  }

  heldFor(target: Target): number {
    return this.#waitLists.get(target)?.waiters.size ?? 0;
  }

  /** The words for whoever waits for a target now. */
  eventsOf(target: Target): string {
    return this.#waitLists.get(target)?.progress ?? "waiting";
  }

  hold(target: Target, waiter: Waiter) {
    const { limits, clock } = this.#options;
    const waitList = this.#waitLists.get(target) ?? this.#open(target);
    const tooMany =
      waitList.waiters.size >= limits.heldPerModel ||
      this.#held >= limits.held ||
      this.#bytes + waiter.bytes > limits.heldBytes;
    if (tooMany) {
      if (waitList.waiters.size === 0) this.#close(waitList);
      const message = `${target.title} is not ready (${waitList.progress}) and too many requests are waiting; try again later`;
      return waiter.onFailure({ status: 429, code: "too_many_waiting", message, retryAfter: 10 });
    }
    this.#held += 1;
    this.#bytes += waiter.bytes;
    waitList.waiters.set(
      waiter,
      clock.schedule(limits.holdDeadline, () => this.#expire(waitList, waiter)),
    );
    this.#review(waitList);
  }

  /** The client has gone. */
  leave(target: Target, waiter: Waiter): void {
    const waitList = this.#waitLists.get(target);
    if (waitList !== undefined) this.#drop(waitList, waiter);
  }

  review(): void {
    for (const waitList of [...this.#waitLists.values()]) this.#review(waitList);
  }

  stop(): void {
    for (const waitList of [...this.#waitLists.values()])
      this.#failAll(waitList, fail(503, "shutting_down", "The gateway is shutting down"));
  }

  #open(target: Target): WaitList {
    const waitList: WaitList = {
      target,
      waiters: new Map(),
      progress: "waiting",
      log: undefined,
      recheck: undefined,
      unschedulableSince: undefined,
      nodes: undefined,
      isReadingNodes: false,
    };
    this.#waitLists.set(target, waitList);
    return waitList;
  }

  #close(waitList: WaitList) {
    waitList.log?.stop();
    waitList.recheck?.();
    this.#waitLists.delete(waitList.target);
  }

  #drop(waitList: WaitList, waiter: Waiter): boolean {
    const cancel = waitList.waiters.get(waiter);
    if (cancel === undefined) return false;
    cancel();
    waitList.waiters.delete(waiter);
    this.#held -= 1;
    this.#bytes -= waiter.bytes;
    if (waitList.waiters.size === 0) this.#close(waitList);
    return true;
  }

  #expire(waitList: WaitList, waiter: Waiter) {
    if (!this.#drop(waitList, waiter)) return;
    const message = `${waitList.target.title} was not ready in time: ${waitList.progress}`;
    waiter.onFailure({ status: 503, code: "model_not_ready", message, retryAfter: 30 });
  }

  #failAll(waitList: WaitList, failure: Failure) {
    for (const waiter of [...waitList.waiters.keys()]) if (this.#drop(waitList, waiter)) waiter.onFailure(failure);
  }

  #review(waitList: WaitList) {
    if (this.#waitLists.get(waitList.target) !== waitList) return;
    if (waitList.target.upstreams.length > 0 && !waitList.target.isClosing) return this.#releaseAll(waitList);
    const { view } = this.#options;
    const { backend } = waitList.target;
    const service = view.service(backend);
    if (service === undefined) {
      return this.#failAll(waitList, fail(503, "service_gone", `Service ${waitList.target.name} was deleted`));
    }
    const closed = annotationOf(service, "closed");
    if (closed !== undefined) return this.#failAll(waitList, notReady(waitList.target.title, closed));
    this.#act(waitList, summarizeWaking(view.workloads(backend), view.podsOfService(backend), waitList.nodes));
  }

  #releaseAll(waitList: WaitList) {
    for (const waiter of [...waitList.waiters.keys()]) {
      const upstream = waitList.target.pick(this.#options.random, waiter);
      if (upstream === undefined) return;
      if (this.#drop(waitList, waiter)) waiter.onReady(upstream);
      else upstream.release();
    }
  }

  #act(waitList: WaitList, state: WakeState) {
    const { name } = waitList.target;
    if (state.is !== "unschedulable") waitList.unschedulableSince = undefined;
    switch (state.is) {
      case "nobody":
        return this.#failAll(
          waitList,
          fail(503, "no_endpoints", `Service ${name} has no ready endpoints: ${state.why}`),
        );
      case "stuck":
        return this.#failAll(waitList, notReady(waitList.target.title, state.why));
      case "asleep":
        this.#tell(waitList, "waking");
        return this.#wake(waitList);
      case "unschedulable":
        return this.#actOnUnschedulable(waitList, state);
      case "coming":
        this.#follow(waitList, state.reading);
        if (waitList.log?.hasSpoken !== true) this.#tell(waitList, state.what);
        return;
    }
  }

  #actOnUnschedulable(waitList: WaitList, state: Extract<WakeState, { is: "unschedulable" }>) {
    const { control, clock, limits } = this.#options;
    waitList.unschedulableSince ??= state.since ?? clock.now();
    if (state.needsSpace && waitList.nodes === undefined) return this.#readNodes(waitList);
    this.#tell(waitList, state.why);
    const isHopeful = state.needsSpace && control.freeSpace(waitList.target) === "making";
    const left = waitList.unschedulableSince + limits.unschedulableGrace - clock.now();
    if (!isHopeful && left <= 0) {
      return this.#failAll(waitList, notReady(waitList.target.title, state.why));
    }
    waitList.recheck?.();
    waitList.recheck = clock.schedule(Math.max(left, 1_000), () => this.#review(waitList));
  }

  /** What nodes offer is read once for those who wait: a watch of all nodes would cost more than the one message is worth. */
  #readNodes(waitList: WaitList): void {
    if (waitList.isReadingNodes) return;
    waitList.isReadingNodes = true;
    const { client, log } = this.#options;
    const take = (nodes: readonly Node[]): void => {
      waitList.nodes = nodes;
      this.#review(waitList);
    };
    client.list(Node).then(
      ({ items }) => take(items),
      (error: unknown) => {
        log.warn({ err: error }, "cannot list nodes; messages about scheduling have no amounts");
        take([]);
      },
    );
  }

  #wake(waitList: WaitList): void {
    const { view, control, log } = this.#options;
    for (const workload of view.workloads(waitList.target.backend)) {
      control.wake(workload).catch((error: unknown) => {
        log.warn({ target: waitList.target.name, err: error }, "cannot scale up from zero");
        const why = error instanceof Error ? error.message : String(error);
        this.#failAll(
          waitList,
          fail(503, "model_cannot_start", `${waitList.target.title} cannot scale up from zero: ${why}`),
        );
      });
    }
  }

  #follow(waitList: WaitList, reading: Extract<WakeState, { is: "coming" }>["reading"]): void {
    const isWanted = reading !== undefined && [...waitList.waiters.keys()].some(({ isCurious }) => isCurious);
    const source = isWanted
      ? { ...reading, pod: { namespace: waitList.target.backend.namespace, name: reading.pod } }
      : undefined;
    if (waitList.log?.key === (source && logKey(source))) return;
    waitList.log?.stop();
    waitList.log =
      source && new LogProgress(this.#options.client, source, (progress) => this.#tell(waitList, progress));
  }

  #tell(waitList: WaitList, text: string): void {
    const progress = plainLine(text);
    if (progress === waitList.progress) return;
    waitList.progress = progress;
    for (const waiter of waitList.waiters.keys()) waiter.onProgress(progress);
  }
}

/** One form for everything that waiting does not cure. */
const notReady = (name: string, why: string): Failure =>
  fail(503, "model_cannot_start", `${name} is not ready: ${why}`);
