import type { api } from "@trivium/kube";
import type { Cancel } from "@trivium/runtime";
import type { Millis } from "@trivium/std";
import type { CheckTarget } from "../../../health/check-target.ts";
import { HealthWatch } from "../../../health/health-watch.ts";
import { runHook } from "../../../health/hooks.ts";
import type { FileLog } from "../../../logs/file-log.ts";
import type { ContainerExit, ContainerRun } from "../../../sandbox.ts";
import type { ContainerVoice } from "../container-voice.ts";
import { ProcessEnding } from "../process-ending.ts";
import type { ProcessWorld } from "../process-world.ts";
import { Cgroup } from "../processes/cgroups.ts";
import { askToEnd, endFamily, type Family } from "../processes/end-family.ts";
import { isAlive, type ProcessIdentity } from "../processes/process-identity.ts";
import { ProcessTable } from "../processes/process-tree.ts";
import { exitOfRun } from "./exit-of-run.ts";
import type { RunFacts, RunFolder } from "./run-folder.ts";

export interface ProcessRunOptions {
  readonly world: ProcessWorld;
  readonly run: ContainerRun;
  readonly folder: RunFolder;
  readonly log: FileLog;
  readonly facts: RunFacts;
  readonly supervisor: ProcessIdentity;
  readonly voice: ContainerVoice;
  /** Told once, with how it ended, when nothing of it is left. */
  onEnd(exit: ContainerExit): void;
}

/** How long the last words of a process are waited for, in case something holds its output open. */
const logDrainTime: Millis = 500;
const defaultGrace = 30;

/** A process that goes on, however it came to us: its output, its memory, its health, and its end. */
export class ProcessRun {
  readonly facts: RunFacts;
  readonly #options: ProcessRunOptions;
  readonly #ending: ProcessEnding;
  readonly #cancels = new Set<Cancel>();
  readonly #lastWord = Promise.withResolvers<void>();
  readonly #letGo = new AbortController();
  #target: CheckTarget | undefined;
  #health: HealthWatch | undefined;
  #family: Family;
  #isOver = false;

  constructor(options: ProcessRunOptions) {
    const { world, run, facts, supervisor } = options;
    this.#options = options;
    this.facts = facts;
    this.#family = { supervisor, cgroup: facts.cgroup };
    const preStop = run.container.lifecycle?.preStop;
    this.#ending = new ProcessEnding({
      clock: world.clock,
      hook: preStop === undefined ? undefined : (signal) => this.#runPreStop(preStop, signal),
      ask: () => this.#ask(),
      kill: () => this.kill(),
    });
  }

  get family(): Family {
    return this.#family;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** From now on it is known what it prints and how much it takes. */
  async watch(): Promise<void> {
    const { world, facts, log } = this.#options;
    await log.watch((name) => {
      if (name !== "eof") return;
      this.#lastWord.resolve();
      if (!isAlive(this.#family.supervisor)) void this.finish();
    });
    if (this.#isOver || facts.memoryLimit === undefined || world.cgroups?.controls.memory === true) return;
    const watched = { family: this.#family, limit: facts.memoryLimit, onOver: () => void this.#outOfMemory() };
    this.#cancels.add(world.memory.add(watched));
  }

  /** Runs the hook that comes before it is said to run. Says why it may not go on, if it may not. */
  async welcome(target: CheckTarget): Promise<string | undefined> {
    const hook = this.#options.run.container.lifecycle?.postStart;
    if (hook === undefined) return undefined;
    const { clock } = this.#options.world;
    const end = await runHook(hook, { target, clock, signal: this.#letGo.signal });
    return end.is === "failed" ? end.message : undefined;
  }

  /** The world knows that it runs: its probes begin. */
  live(target: CheckTarget): void {
    if (this.#isOver || this.#ending.hasBegun) return;
    const { world, run, facts, voice } = this.#options;
    this.#target = target;
    this.#health = new HealthWatch({
      clock: world.clock,
      target,
      since: facts.startedAt,
      before: run.before,
      onStarted: () => voice.tell({ is: "started" }),
      onReadiness: (isReady) => voice.tell({ is: "readiness", isReady }),
      onLost: (probe, spec) => this.#restart(probe, spec),
      onNote: (reason, message) => voice.note("Warning", reason, message),
    });
  }

  stop(grace: Millis = this.#defaultGrace): void {
    this.#health?.stop();
    this.#ending.within(grace);
  }

  kill(): void {
    endFamily(this.#family).catch((error: unknown) => this.#options.voice.failure("stopping it", error));
  }

  /** It stays, and is no longer ours. */
  letGo(): void {
    this.#isOver = true;
    this.#release();
  }

  /** The keeper is gone: nothing of the container may stay, and its end is told with its last words. */
  async finish(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    const { world, run, folder, facts, log, voice } = this.#options;
    if (facts.cgroup !== undefined && (await new Cgroup(facts.cgroup).hasRunOutOfMemory()))
      await this.#noteOutOfMemory();
    if (!(await endFamily(this.#family))) voice.failure("stopping it", "some of its processes do not exit");
    const cancel = world.clock.schedule(logDrainTime, () => this.#lastWord.resolve());
    await this.#lastWord.promise;
    cancel();
    log.end();
    this.#options.onEnd(await exitOfRun(run.container, { end: await folder.lastEnd(), facts, log }));
  }

  #restart(probe: "Startup" | "Liveness", { terminationGracePeriodSeconds }: api.Probe): void {
    const { run, voice } = this.#options;
    const { pod, container, role } = run;
    const policy = role === "sidecar" ? "Always" : (container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always");
    const what = `Container ${container.name} failed ${probe.toLowerCase()} probe`;
    voice.note("Normal", "Killing", policy === "Never" ? what : `${what}, will be restarted`);
    this.stop(terminationGracePeriodSeconds === undefined ? this.#defaultGrace : terminationGracePeriodSeconds * 1000);
  }

  async #runPreStop(hook: api.LifecycleHandler, time: AbortSignal): Promise<void> {
    const { world, voice } = this.#options;
    // One that is stopped before it was said to run has nothing to wind up.
    if (this.#target === undefined) return;
    const signal = AbortSignal.any([this.#letGo.signal, time]);
    const end = await runHook(hook, { target: this.#target, clock: world.clock, signal });
    if (end.is === "done" || this.#isOver) return;
    voice.failure("its preStop hook", end.message);
    voice.note("Warning", "FailedPreStopHook", "PreStopHook failed");
  }

  #ask(): void {
    // Those that leave its session when they are asked to end are remembered.
    this.#family = { ...this.#family, observed: ProcessTable.read().familyOf(this.#family.supervisor.pid) };
    askToEnd(this.#family);
  }

  async #outOfMemory(): Promise<void> {
    if (this.#isOver) return;
    await this.#noteOutOfMemory();
    this.kill();
  }

  async #noteOutOfMemory(): Promise<void> {
    const { folder, voice } = this.#options;
    await folder.mark("oom").catch((error: unknown) => voice.failure("recording that it ran out of memory", error));
  }

  #release(): void {
    this.#letGo.abort();
    this.#health?.stop();
    this.#ending.cancel();
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  get #defaultGrace(): Millis {
    return (this.#options.run.pod.spec?.terminationGracePeriodSeconds ?? defaultGrace) * 1000;
  }
}
