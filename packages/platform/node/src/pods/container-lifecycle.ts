import type { Pod } from "@trivium/kube";
import { assertNever, formatDuration, type Millis, parseTime } from "@trivium/std";
import type { NodePorts } from "../node-ports.ts";
import type { ContainerEvent, ContainerExit, ContainerRun, LogSink, PodSetup } from "../sandbox.ts";
import { beginRun, type ContainerRecord, endRun, lastEndOf, runIdOf, waitInstead } from "./container-record.ts";
import { isRestarted } from "./containers.ts";

/** How long a failed pull is shown as itself before it is shown as waiting for the next try. */
const refusalShown: Millis = 1_000;

const noLog: LogSink = { write: () => undefined };

/** One container's way through starts, ends and restarts, for all containers of a pod. */
export class ContainerLifecycle {
  readonly #ports: NodePorts;
  readonly #pod: () => Pod;
  readonly #onChange: () => void;
  #isClosed = false;

  constructor(ports: NodePorts, pod: () => Pod, onChange: () => void) {
    this.#ports = ports;
    this.#pod = pod;
    this.#onChange = onChange;
  }

  /** From now on nothing is started again. */
  close(): void {
    this.#isClosed = true;
  }

  launch(setup: PodSetup, record: ContainerRecord): void {
    record.is = "launching";
    record.startedAt = undefined;
    this.#start(setup, record, this.#nextRun(record));
  }

  #nextRun(record: ContainerRecord): { attempt: number; id: string } {
    const attempt = lastEndOf(record) === undefined ? 0 : record.restarts + 1;
    return { attempt, id: runIdOf(this.#ports.sandbox.scheme, this.#pod(), record, attempt) };
  }

  /** Takes up a container where an earlier agent left it. */
  resume(setup: PodSetup, record: ContainerRecord): void {
    const { startedAt, id } = record;
    if (record.state.running !== undefined && startedAt !== undefined) {
      record.is = "launching";
      const before = { isStarted: record.isStarted, isReady: record.isReady };
      this.#start(setup, record, { attempt: record.restarts, id, runningSince: startedAt, before });
      return;
    }
    const ended = lastEndOf(record);
    if (ended === undefined) return;
    record.is = "ended";
    if (!isRestarted(this.#pod(), record, ended.exitCode)) return;
    if (this.#isBegun(record)) {
      this.launch(setup, record);
      return;
    }
    const endedAt = parseTime(ended.finishedAt ?? "") ?? this.#ports.clock.now();
    this.#rest(setup, record, Math.max(0, endedAt + record.crashes.next(endedAt, endedAt) - this.#ports.clock.now()));
  }

  #start(
    setup: PodSetup,
    record: ContainerRecord,
    run: Pick<ContainerRun, "attempt" | "id" | "runningSince" | "before">,
  ): void {
    const pod = this.#pod();
    const { container, role } = record;
    const { sandbox, logs } = this.#ports;
    record.log = sandbox.logOf === undefined ? logs.begin(pod, container.name, run.id) : undefined;
    const control = setup.start({ pod, container, role, log: record.log ?? noLog, ...run }, (event) => {
      // What an earlier run still had to say is nobody's business any more.
      if (record.control === control) this.#take(setup, record, run, event);
    });
    record.control = control;
  }

  #take(setup: PodSetup, record: ContainerRecord, run: { attempt: number; id: string }, event: ContainerEvent): void {
    const { image } = record.container;
    switch (event.is) {
      case "pulling":
        this.#note(record, "Pulling", `Pulling image "${image}"`);
        return;
      case "pulled":
        this.#note(record, "Pulled", `Successfully pulled image "${image}" in ${formatDuration(event.took)}`);
        return;
      case "present":
        this.#note(record, "Pulled", `Container image "${image}" already present on machine`);
        return;
      case "note":
        this.#ports.notes.tell(this.#pod(), { ...event, container: record.container });
        return;
      case "refused":
        this.#refuse(setup, record, event);
        break;
      case "running":
        this.#begin(record, run, event);
        break;
      case "started":
        record.isStarted = true;
        break;
      case "readiness":
        record.isReady = event.isReady;
        break;
      case "exited":
        if (event.hasNotRun === true) this.#fail(record, run, event);
        this.#exit(setup, record, event);
        break;
      default:
        assertNever(event);
    }
    this.#onChange();
  }

  #begin(record: ContainerRecord, run: { attempt: number; id: string }, event: { imageId: string; at: number }): void {
    const isTakenOver = record.state.running !== undefined;
    if (isTakenOver) {
      record.is = "running";
      return;
    }
    beginRun(record, { id: run.id, imageId: event.imageId, at: event.at });
    record.restarts = run.attempt;
    this.#note(record, "Created", "Container created");
    this.#note(record, "Started", "Container started");
  }

  /** A run that ended before it began counts as one. */
  #fail(record: ContainerRecord, run: { attempt: number; id: string }, exit: ContainerExit): void {
    beginRun(record, { id: run.id, imageId: record.imageId, at: exit.at });
    record.restarts = run.attempt;
    this.#note(record, "Created", "Container created");
    this.#warn(record, "Failed", `Error: ${exit.message ?? exit.reason}`);
  }

  #exit(setup: PodSetup, record: ContainerRecord, exit: ContainerExit): void {
    const startedAt = record.startedAt ?? exit.at;
    endRun(record, exit);
    if (this.#isClosed || !isRestarted(this.#pod(), record, exit.code)) return;
    const isAtOnce = exit.isBlameless === true || this.#isBegun(record);
    const delay = isAtOnce ? 0 : record.crashes.next(startedAt, exit.at);
    const { name, namespace, uid } = this.#pod().metadata;
    if (delay > 0) {
      const subject = `restarting failed container=${record.container.name} pod=${name}_${namespace}(${uid})`;
      waitInstead(record, { reason: "CrashLoopBackOff", message: `back-off ${formatDuration(delay)} ${subject}` });
      const message = `Back-off restarting failed container ${record.container.name} in pod ${name}_${namespace}(${uid})`;
      this.#warn(record, "BackOff", message);
    }
    this.#rest(setup, record, delay);
  }

  #refuse(setup: PodSetup, record: ContainerRecord, event: Extract<ContainerEvent, { is: "refused" }>): void {
    const { clock } = this.#ports;
    record.control = undefined;
    record.log?.end();
    waitInstead(record, event);
    const isImage = /Image/.test(event.reason);
    const cause = event.advice === undefined ? event.message : `${event.message}; ${event.advice}`;
    if (isImage) this.#warn(record, "Failed", `Failed to pull image "${record.container.image}": ${cause}`);
    this.#warn(record, "Failed", `Error: ${isImage ? event.reason : event.message}`);
    if (this.#isClosed) return;
    const now = clock.now();
    // The first refusal is not tried again at once: what was not there a moment ago is not there now. An image is asked for ever more
    // slowly; what is missing of the pod's own, such as a Secret, is looked for at a steady pace.
    const grown = record.refusals.next(now, now) || record.refusals.next(now, now);
    const delay = isImage ? grown : this.#ports.backoff.first;
    record.is = "resting";
    const cancel = clock.schedule(Math.min(refusalShown, delay / 2), () => {
      waitInstead(record, event.meanwhile);
      this.#rest(setup, record, delay);
      this.#onChange();
    });
    record.cancelRest = cancel;
    void event.until?.then(() => this.#tryAgain(setup, record));
  }

  /** What was missing may be there now. */
  #tryAgain(setup: PodSetup, record: ContainerRecord): void {
    if (this.#isClosed || record.is !== "resting" || record.state.waiting === undefined) return;
    record.cancelRest?.();
    this.#rest(setup, record, 0);
  }

  /** An earlier agent was faster with the next run than with telling of it. */
  #isBegun(record: ContainerRecord): boolean {
    const { container } = record;
    return this.#ports.sandbox.hasBegun?.(this.#pod(), container.name, this.#nextRun(record).id) ?? false;
  }

  #rest(setup: PodSetup, record: ContainerRecord, delay: Millis): void {
    record.is = "resting";
    record.cancelRest = this.#ports.clock.schedule(delay, () => {
      record.cancelRest = undefined;
      if (!this.#isClosed) this.launch(setup, record);
    });
  }

  #note({ container }: ContainerRecord, reason: string, message: string): void {
    this.#ports.notes.tell(this.#pod(), { reason, message, container });
  }

  #warn({ container }: ContainerRecord, reason: string, message: string): void {
    this.#ports.notes.tell(this.#pod(), { type: "Warning", reason, message, container });
  }
}
