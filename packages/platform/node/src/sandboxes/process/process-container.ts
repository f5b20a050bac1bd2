import type { api } from "@trivium/kube";
import type { Cancel } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import type { CheckTarget } from "../../health/check.ts";
import { HealthWatch } from "../../health/health-watch.ts";
import { runHook } from "../../health/hooks.ts";
import type { FileLog } from "../../logs/file-log.ts";
import type { ContainerEvent, ContainerRun, StartedContainer } from "../../sandbox.ts";
import { beginRun } from "./begin-run.ts";
import { Cgroup } from "./cgroups.ts";
import { checkTargetOf, type Ready } from "./check-target.ts";
import { askToEnd, endFamily, type Family } from "./end-family.ts";
import { exitOfRun } from "./exit-of-run.ts";
import type { Preparation, Room } from "./launch.ts";
import { watchLife } from "./life-line.ts";
import { ProcessEnding } from "./process-ending.ts";
import { ProcessTable } from "./process-tree.ts";
import { fileLogOf, type ProcessWorld, runFolderOf } from "./process-world.ts";
import type { RunFacts, RunFolder, RunFound } from "./run-folder.ts";

/** What cannot be begun, and what ended in a way that nobody knows, end with the codes that container runtimes give them. */
const startError = 128;
const unknownEnd = 255;
/** How long the last words of a process are waited for, in case something holds its output open. */
const lastWords: Millis = 500;
const defaultGrace = 30;

/** A process that goes on, however it came to us. */
export interface Running {
  readonly facts: RunFacts;
  readonly family: Family;
}

/** One run of a container as a process: begun here, or taken over from an agent before; watched; ended. */
export class ProcessContainer implements StartedContainer {
  readonly log: FileLog;
  readonly #world: ProcessWorld;
  readonly #room: Room;
  readonly #run: ContainerRun;
  readonly #folder: RunFolder;
  readonly #onEvent: (event: ContainerEvent) => void;
  readonly #letGo = new AbortController();
  readonly #ending: ProcessEnding;
  readonly #cancels = new Set<Cancel>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #lastWord = Promise.withResolvers<void>();
  #running: Running | undefined;
  #health: HealthWatch | undefined;
  #ready: Ready | undefined;
  #stopWithin: Millis | undefined;
  #hasEnded = false;

  constructor(world: ProcessWorld, room: Room, run: ContainerRun, onEvent: (event: ContainerEvent) => void) {
    const { pod, container, id } = run;
    this.#world = world;
    this.#room = room;
    this.#run = run;
    this.#onEvent = onEvent;
    this.#folder = runFolderOf(world.root, { podUid: pod.metadata.uid ?? "", container: container.name, id });
    this.log = fileLogOf(world, this.#folder, { id, course: "goes on" });
    const preStop = container.lifecycle?.preStop;
    this.#ending = new ProcessEnding({
      clock: world.clock,
      hook: preStop === undefined ? undefined : (signal) => this.#runPreStop(preStop, signal),
      ask: () => this.#ask(),
      kill: () => this.#kill(),
    });
    setImmediate(() => void this.#begin().catch((error: unknown) => this.#fail(error)));
  }

  /** Resolves when nothing of it runs any more, or when it is no longer ours. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  get running(): Running | undefined {
    return this.#hasEnded ? undefined : this.#running;
  }

  stop(grace: Millis): void {
    this.#stopWithin = Math.min(this.#stopWithin ?? grace, grace);
    if (this.#running === undefined || this.#hasEnded) return;
    this.#health?.stop();
    this.#ending.within(grace);
  }

  abandon(): void {
    this.#letGo.abort();
    this.#release();
    this.log.end();
    this.#gone.resolve();
  }

  async #begin(): Promise<void> {
    const found = await this.#folder.find(this.#world.boot);
    if (this.#letGo.signal.aborted) return;
    if (found.is === "alive") await this.#adopt(found);
    else if (found.is === "ended") await this.#report(found);
    else if (this.#run.runningSince !== undefined) this.#lose(this.#run.runningSince);
    else await this.#start();
  }

  /** It ran, and nothing is known of how it ended: the machine was started anew, or somebody cleared its folder away. */
  #lose(at: number): void {
    this.#tell({ is: "running", imageId: "", at });
    this.#conclude({ is: "exited", code: unknownEnd, reason: "Unknown", at: this.#world.clock.now() });
  }

  /** It ended while no agent looked. */
  async #report({ facts, end, keeper }: Extract<RunFound, { is: "ended" }>): Promise<void> {
    if (keeper !== undefined) await endFamily({ keeper, cgroup: facts.cgroup });
    const exit = await exitOfRun(this.#run.container, { end, facts, log: this.log });
    this.#tell({ is: "running", imageId: facts.imageId, at: facts.startedAt });
    this.#conclude(exit);
  }

  async #adopt({ facts, keeper }: Extract<RunFound, { is: "alive" }>): Promise<void> {
    await this.#watch(facts, { keeper, cgroup: facts.cgroup });
    if (this.#letGo.signal.aborted) return;
    this.#cancels.add(await watchLife(this.#folder.file("life"), () => void this.#finish()));
    this.#tell({ is: "running", imageId: facts.imageId, at: facts.startedAt });
    // Its environment was not written down, and is made again for probes that need it.
    const prepared = await this.#prepare();
    if (prepared.is === "ready") this.#ready = prepared;
    this.#goOn(facts);
  }

  async #start(): Promise<void> {
    const prepared = this.#isUnwanted() ? undefined : await this.#prepare();
    if (prepared === undefined || this.#isUnwanted()) return this.#conclude();
    if (prepared.is === "refused") return this.#conclude(prepared);
    this.#ready = prepared;
    this.#tell({ is: "present" });
    const begun = await beginRun({
      world: this.#world,
      run: this.#run,
      folder: this.#folder,
      launch: prepared.launch,
      notes: prepared.notes,
    });
    if (begun.is === "broken") return this.#break(begun.message);
    const { facts, keeper, ended } = begun;
    await this.#watch(facts, { keeper, cgroup: facts.cgroup });
    void ended.then(() => this.#finish());
    await this.#welcome(facts);
  }

  /** What cannot be made ready now may be later: the container waits. */
  async #prepare(): Promise<Preparation> {
    try {
      return await this.#world.rooms.prepare(this.#run.pod, this.#run.container, this.#room);
    } catch (error) {
      this.#trouble("making it ready", error);
      const waiting = {
        reason: "CreateContainerError",
        message: error instanceof Error ? error.message : String(error),
      };
      return { is: "refused", ...waiting, meanwhile: waiting };
    }
  }

  /** It is said to run when its first hook is done. One that was asked to stop meanwhile was never said to run. */
  async #welcome(facts: RunFacts): Promise<void> {
    const hook = this.#run.container.lifecycle?.postStart;
    const { clock } = this.#world;
    const signal = this.#letGo.signal;
    const end =
      hook === undefined || this.#isUnwanted()
        ? undefined
        : await runHook(hook, { target: this.#target(), clock, signal });
    if (signal.aborted || this.#hasEnded) return;
    this.#tell({ is: "running", imageId: facts.imageId, at: facts.startedAt });
    if (end?.is !== "failed") return this.#goOn(facts);
    this.#trouble("its postStart hook", end.message);
    this.#note("Warning", "FailedPostStartHook", "PostStartHook failed");
    this.#note("Normal", "Killing", "FailedPostStartHook");
    this.stop(this.#grace());
  }

  /** From now on it is known what it prints and how much it takes. */
  async #watch(facts: RunFacts, family: Family): Promise<void> {
    this.#running = { facts, family };
    await this.log.watch((name) => {
      if (name === "eof") this.#lastWord.resolve();
    });
    if (this.#letGo.signal.aborted) return this.abandon();
    const { memory, cgroups } = this.#world;
    if (facts.memoryLimit === undefined || cgroups?.controls.memory === true) return;
    this.#cancels.add(memory.add({ family, limit: facts.memoryLimit, onOver: () => void this.#outOfMemory() }));
  }

  /** It runs and the world knows it: its probes begin, unless it was asked to stop before it came so far. */
  #goOn({ startedAt }: RunFacts): void {
    if (this.#letGo.signal.aborted || this.#hasEnded) return;
    if (this.#stopWithin !== undefined) {
      this.#ending.within(this.#stopWithin);
      return;
    }
    this.#health = new HealthWatch({
      clock: this.#world.clock,
      target: this.#target(),
      since: startedAt,
      before: this.#run.before,
      onStarted: () => this.#tell({ is: "started" }),
      onReadiness: (isReady) => this.#tell({ is: "readiness", isReady }),
      onLost: (probe, spec) => this.#restart(probe, spec),
      onNote: (reason, message) => this.#note("Warning", reason, message),
    });
  }

  #restart(probe: "Startup" | "Liveness", { terminationGracePeriodSeconds }: api.Probe): void {
    const { pod, container, role } = this.#run;
    const policy = role === "sidecar" ? "Always" : (container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always");
    const what = `Container ${container.name} failed ${probe.toLowerCase()} probe`;
    this.#note("Normal", "Killing", policy === "Never" ? what : `${what}, will be restarted`);
    this.stop(terminationGracePeriodSeconds === undefined ? this.#grace() : terminationGracePeriodSeconds * 1000);
  }

  async #runPreStop(hook: api.LifecycleHandler, time: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#letGo.signal, time]);
    const end = await runHook(hook, { target: this.#target(), clock: this.#world.clock, signal });
    if (end.is === "done" || this.#hasEnded) return;
    this.#trouble("its preStop hook", end.message);
    this.#note("Warning", "FailedPreStopHook", "PreStopHook failed");
  }

  #ask(): void {
    if (this.#running === undefined) return;
    const { family } = this.#running;
    // Those that leave its session when they are asked to end are remembered.
    const seen = ProcessTable.read().familyOf(family.keeper.pid);
    this.#running = { ...this.#running, family: { ...family, seen } };
    askToEnd(family);
  }

  #kill(): void {
    if (this.#running === undefined) return;
    endFamily(this.#running.family).catch((error: unknown) => this.#trouble("ending it", error));
  }

  async #outOfMemory(): Promise<void> {
    if (this.#hasEnded) return;
    await this.#folder
      .markOutOfMemory()
      .catch((error: unknown) => this.#trouble("noting that it has no memory left", error));
    this.#kill();
  }

  /** The keeper is gone: nothing of the container may stay, and its end is told with its last words. */
  async #finish(): Promise<void> {
    const running = this.#running;
    if (running === undefined || this.#hasEnded || this.#letGo.signal.aborted) return;
    this.#hasEnded = true;
    this.#release();
    const { facts, family } = running;
    if (facts.cgroup !== undefined && (await new Cgroup(facts.cgroup).hasRunOutOfMemory())) await this.#outOfMemory();
    if (!(await endFamily(family))) this.#trouble("ending it", "some of its processes do not go away");
    const cancel = this.#world.clock.schedule(lastWords, () => this.#lastWord.resolve());
    await this.#lastWord.promise;
    cancel();
    this.log.end();
    const end = await this.#folder.lastEnd();
    this.#conclude(await exitOfRun(this.#run.container, { end, facts, log: this.log }));
  }

  #break(message: string): void {
    const at = this.#world.clock.now();
    this.#conclude({ is: "exited", code: startError, reason: "StartError", message, at, hasNotRun: true });
  }

  #fail(error: unknown): void {
    if (this.#letGo.signal.aborted) return;
    this.#trouble("starting it", error);
    if (this.#running === undefined) this.#break(error instanceof Error ? error.message : String(error));
    else this.#kill();
  }

  /** The last event of this run, if there is anything to tell. */
  #conclude(event?: ContainerEvent): void {
    this.#hasEnded = true;
    this.log.end();
    if (event !== undefined) this.#tell(event);
    this.#gone.resolve();
  }

  #target(): CheckTarget {
    const cgroup = this.#running?.facts.cgroup;
    return checkTargetOf({ run: this.#run, room: this.#room, cgroup, ready: this.#ready });
  }

  #release(): void {
    this.#health?.stop();
    this.#ending.cancel();
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #isUnwanted(): boolean {
    return this.#stopWithin !== undefined || this.#letGo.signal.aborted;
  }

  #grace(): Millis {
    return (this.#run.pod.spec?.terminationGracePeriodSeconds ?? defaultGrace) * 1000;
  }

  #tell(event: ContainerEvent): void {
    if (!this.#letGo.signal.aborted) this.#onEvent(event);
  }

  #note(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#tell({ is: "note", type, reason, message });
  }

  #trouble(doing: string, error: unknown): void {
    const { pod, container } = this.#run;
    this.#world.onTrouble(
      `container ${container.name} of pod ${pod.metadata.namespace}/${pod.metadata.name}: ${doing}`,
      error,
    );
  }
}
