import { type api, isReason, Pod } from "@trivium/kube";
import { type Cancel, waitFor } from "@trivium/runtime";
import { formatTime, type Instant, type Millis, parseTime } from "@trivium/std";
import type { NodePorts } from "../node-ports.ts";
import type { PodSetup } from "../sandbox.ts";
import { ContainerLifecycle } from "./container-lifecycle.ts";
import { type ContainerRecord, recordOf } from "./container-record.ts";
import { containersOf, ephemeralsOf, isInitial } from "./containers.ts";
import { openSetup } from "./open-setup.ts";
import { isLost, isPassed, type PodLifecycle } from "./pod-phase.ts";
import { planStatus } from "./pod-status.ts";
import { StatusWriter } from "./status-writer.ts";

const overtime = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};
const defaultGrace = 30;
const deletionPause: Millis = 1_000;

/**
 * One pod on its node, from bound to gone. `#lifecycle` says whether containers may still be started; once it is over, what runs is
 * stopped, mains before sidecars, and when nothing runs the room is given back.
 */
export class PodWorker {
  readonly #ports: NodePorts;
  readonly #records: ContainerRecord[];
  readonly #writer: StatusWriter;
  readonly #containers: ContainerLifecycle;
  readonly #ending = new AbortController();
  readonly #startedAt: Instant;
  #pod: Pod;
  #setup: PodSetup | undefined;
  #address: string | undefined;
  #conditions: readonly api.PodCondition[];
  #lifecycle: PodLifecycle = "running";
  #outcome: typeof overtime | undefined;
  #cancelDeadline: Cancel | undefined;
  #graceEnds: Instant | undefined;
  #isDeleting = false;
  #isTakingOver = false;
  #isHalted = false;

  /** `onGone` is told when the server does not know the pod any more, in case the watch never says so. */
  constructor(pod: Pod, ports: NodePorts, onGone: () => void) {
    this.#pod = pod;
    this.#ports = ports;
    this.#records = containersOf(pod).map((placed) => recordOf(pod, placed, ports.backoff));
    this.#startedAt = parseTime(pod.status?.startTime ?? "") ?? ports.clock.now();
    this.#address = pod.status?.podIP;
    this.#conditions = pod.status?.conditions ?? [];
    this.#containers = new ContainerLifecycle(
      ports,
      () => this.#pod,
      () => this.#changed(),
    );
    this.#writer = new StatusWriter({
      client: ports.client,
      clock: ports.clock,
      pod,
      plan: () => this.#status(),
      onWritten: (status) => {
        this.#conditions = status.conditions ?? [];
      },
      onGone,
      onError: (error) => this.#failure("writing its status", error),
    });
  }

  /** Begins, or goes on where an earlier agent stopped. */
  start(): void {
    this.#registerLogs();
    const { phase } = this.#pod.status ?? {};
    if (phase === "Succeeded" || phase === "Failed") {
      this.#lifecycle = "ended";
      // Whoever ended it said why; there is nothing to add.
      this.#writer.stop();
      this.update(this.#pod);
      return;
    }
    // A pod that is taken over has a status; it is written again when there is something to say.
    if (this.#pod.status?.startTime === undefined) this.#writer.mark();
    this.#watchDeadline();
    // What an earlier agent left running is taken up first, even if only to end it.
    this.#isTakingOver = this.#records.some(({ state }) => state.running !== undefined);
    this.update(this.#pod);
    if (this.#lifecycle === "running") void this.#enter();
  }

  #registerLogs(): void {
    const { logs, sandbox } = this.#ports;
    logs.register(this.#pod, {
      statusOf: () => this.#status(),
      logOf: (container, id) => sandbox.logOf?.(this.#pod, container, id),
    });
  }

  /** The pod as the server has it now. */
  update(pod: Pod): void {
    // Nothing takes a deletion back: this is an old event, told again.
    if (this.#pod.metadata.deletionTimestamp !== undefined && pod.metadata.deletionTimestamp === undefined) return;
    this.#pod = pod;
    this.#addEphemerals();
    if (this.#isTakingOver) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#delete();
      return;
    }
    const isOverwritten = this.#writer.isOverwritten(pod);
    if (isOverwritten) this.#conditions = pod.status?.conditions ?? [];
    // Others may have opened a readiness gate.
    if (isOverwritten || (pod.spec?.readinessGates ?? []).length > 0) this.#writer.mark();
  }

  /** Containers that were added to look into the pod. */
  #addEphemerals(): void {
    const known = new Set(this.#records.map(({ container }) => container.name));
    const added = ephemeralsOf(this.#pod).filter(({ container }) => !known.has(container.name));
    if (added.length === 0) return;
    this.#records.push(...added.map((placed) => recordOf(this.#pod, placed, this.#ports.backoff)));
    this.#registerLogs();
    this.#changed();
  }

  /** The object is gone: whatever still runs ends now, and nobody is told. */
  vanish(): void {
    this.#quiet();
    for (const record of this.#records) record.control?.stop(0);
    this.#leaveSetup();
    this.#ports.logs.forget(this.#pod);
    this.#ports.sandbox.forget?.(this.#pod);
  }

  /** The agent goes; the pod stays as it is, for the next agent to find. */
  halt(): void {
    this.#isHalted = true;
    this.#quiet();
    for (const record of this.#records) record.control?.abandon();
  }

  #quiet(): void {
    this.#ending.abort();
    this.#writer.stop();
    this.#containers.close();
    this.#cancelDeadline?.();
    for (const record of this.#records) record.cancelRest?.();
  }

  /** Resolves when the server knows everything that is known here. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async #enter(): Promise<void> {
    const { signal } = this.#ending;
    if (!this.#isTakingOver) await this.#ports.whenBound(this.#pod, signal);
    const setup = await openSetup(this.#ports, () => this.#pod, {
      signal,
      isOver: () => this.#isOver(),
      // An agent that goes leaves the room to the next one: something may run in it.
      onLate: (late) => (this.#isHalted ? undefined : late.close()),
      onError: (error) => this.#failure("preparing its sandbox", error),
    });
    if (setup === undefined) return;
    this.#setup = setup;
    this.#address = this.#pod.spec?.hostNetwork === true ? this.#ports.node.address : setup.address;
    for (const record of this.#records) this.#containers.resume(setup, record);
    this.#isTakingOver = false;
    if (this.#pod.metadata.deletionTimestamp !== undefined) this.#delete();
    this.#changed();
  }

  /** Between two awaits the course may have changed; the compiler does not know. */
  #isOver(): boolean {
    return this.#lifecycle === "ended";
  }

  #changed(): void {
    if (this.#ending.signal.aborted) return;
    if (this.#lifecycle === "running") this.#startNext();
    if (this.#lifecycle === "ended") this.#endNext();
    this.#writer.mark();
  }

  /** Starts what may start now: init containers one after the other, then the rest together. */
  #startNext(): void {
    const setup = this.#setup;
    if (setup === undefined) return;
    const mains = this.#records.filter(({ role }) => role === "main");
    const isBegun = mains.some(({ is }) => is !== "new");
    for (const record of isBegun ? [] : this.#records.filter(isInitial)) {
      if (record.is === "new") this.#containers.launch(setup, record);
      if (isLost(this.#pod, record)) this.#end();
      if (!isPassed(record)) return;
    }
    const others = this.#records.filter(({ role }) => role === "ephemeral");
    for (const record of [...mains, ...others]) if (record.is === "new") this.#containers.launch(setup, record);
    if (mains.every(({ is }) => is === "ended")) this.#end();
  }

  #end(): void {
    this.#lifecycle = "ended";
    this.#containers.close();
    for (const record of this.#records) {
      record.cancelRest?.();
      if (record.is === "launching" && record.startedAt === undefined) {
        record.control?.stop(0);
        record.control = undefined;
        record.is = "new";
      }
    }
  }

  /** Stops what still runs, mains first; the last one out closes the room. */
  #endNext(): void {
    const running = this.#records.filter(({ control }) => control !== undefined);
    if (running.length === 0) {
      this.#finish();
      return;
    }
    const mains = running.filter(({ role }) => role !== "sidecar");
    const grace = Math.max(0, (this.#graceEnds ?? this.#ports.clock.now() + this.#graceOf()) - this.#ports.clock.now());
    for (const { control } of mains.length > 0 ? mains : running) control?.stop(grace);
  }

  #graceOf(): Millis {
    const { metadata, spec } = this.#pod;
    return (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? defaultGrace) * 1000;
  }

  #finish(): void {
    this.#cancelDeadline?.();
    this.#leaveSetup();
    this.#writer.mark();
    if (this.#pod.metadata.deletionTimestamp === undefined || this.#isDeleting) return;
    this.#isDeleting = true;
    void this.#remove();
  }

  #leaveSetup(): void {
    this.#setup?.close();
    this.#setup = undefined;
  }

  #delete(): void {
    const { clock, notes } = this.#ports;
    if (this.#isDeleting) return;
    const ends = clock.now() + this.#graceOf();
    this.#graceEnds = Math.min(this.#graceEnds ?? ends, ends);
    if (this.#lifecycle === "running") {
      for (const { container, is } of this.#records) {
        if (is === "running")
          notes.tell(this.#pod, { reason: "Killing", message: `Stopping container ${container.name}`, container });
      }
      this.#end();
    }
    this.#endNext();
    this.#writer.mark();
  }

  /** The last word of a node about a pod: the object may go. */
  async #remove(): Promise<void> {
    const { client, clock } = this.#ports;
    const { namespace, name = "", uid } = this.#pod.metadata;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#writer.flush();
      try {
        const preconditions = uid === undefined ? {} : { uid };
        await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0, preconditions, signal });
        return;
      } catch (error) {
        if (signal.aborted || isReason(error, "NotFound")) return;
        this.#failure("deleting it", error);
        await waitFor(clock, deletionPause, signal);
      }
    }
  }

  #watchDeadline(): void {
    const seconds = this.#pod.spec?.activeDeadlineSeconds;
    if (seconds === undefined) return;
    const { clock, notes } = this.#ports;
    this.#cancelDeadline = clock.schedule(Math.max(0, this.#startedAt + seconds * 1000 - clock.now()), () => {
      this.#outcome = overtime;
      notes.tell(this.#pod, { type: "Normal", ...overtime });
      this.#graceEnds = clock.now() + this.#graceOf();
      this.#end();
      this.#changed();
    });
  }

  #status(): api.PodStatus {
    const { clock, node } = this.#ports;
    return planStatus({
      pod: this.#pod,
      records: this.#records,
      lifecycle: this.#lifecycle,
      startedAt: this.#startedAt,
      hostAddress: node.address,
      address: this.#address,
      hasSetup: this.#setup !== undefined,
      outcome: this.#outcome,
      before: this.#conditions,
      now: clock.now(),
    });
  }

  #failure(doing: string, error: unknown): void {
    const { namespace, name } = this.#pod.metadata;
    this.#ports.onError(`pod ${namespace}/${name}: ${doing} failed at ${formatTime(this.#ports.clock.now())}`, error);
  }
}
