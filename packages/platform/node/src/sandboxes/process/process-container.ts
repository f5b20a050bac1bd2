import type { RunCommand } from "@trivium/apiserver";
import type { Millis } from "@trivium/std";
import type { FileLog } from "../../logs/file-log.ts";
import type { ContainerEvent, ContainerRun, StartedContainer } from "../../sandbox.ts";
import { checkTargetOf, type Ready } from "./check-target.ts";
import { ContainerVoice } from "./container-voice.ts";
import { fileLogOf, type ProcessWorld, runFolderOf } from "./process-world.ts";
import { Cgroup } from "./processes/cgroups.ts";
import { endFamily } from "./processes/end-family.ts";
import type { ProcessIdentity } from "./processes/process-identity.ts";
import { beginRun } from "./run/begin-run.ts";
import { exitOfRun } from "./run/exit-of-run.ts";
import type { Interaction, Preparation, Setup } from "./run/launch.ts";
import { watchLife } from "./run/life-line.ts";
import { ProcessRun } from "./run/process-run.ts";
import type { RunFacts, RunFolder, RunFound } from "./run/run-folder.ts";
import { attach } from "./streams/attach.ts";
import { runCommand } from "./streams/run-command.ts";
import type { InputEnd } from "./streams/standard-input.ts";

/** What cannot be begun, and what ended in a way that nobody knows, end with the codes that container runtimes give them. */
const startError = 128;
const unknownEnd = 255;

/** One run of a container: begun here as a process, or found as an agent before left it. */
export class ProcessContainer implements StartedContainer {
  readonly log: FileLog;
  readonly #world: ProcessWorld;
  readonly #setup: Setup;
  readonly #run: ContainerRun;
  readonly #folder: RunFolder;
  readonly #voice: ContainerVoice;
  readonly #gone = Promise.withResolvers<void>();
  #process: ProcessRun | undefined;
  #ready: Ready | undefined;
  #input: InputEnd | undefined;
  #hasClients = false;
  #stopWithin: Millis | undefined;
  #isAbandoned = false;
  #isToldRunning = false;
  #endLifeWatch: (() => void) | undefined;

  constructor(world: ProcessWorld, setup: Setup, run: ContainerRun, onEvent: (event: ContainerEvent) => void) {
    const { pod, container, id } = run;
    this.#world = world;
    this.#setup = setup;
    this.#run = run;
    this.#voice = new ContainerVoice(world, run, onEvent);
    this.#folder = runFolderOf(world.root, { podUid: pod.metadata.uid ?? "", container: container.name, id });
    this.log = fileLogOf(world, this.#folder, { id, state: "running" });
    setImmediate(() => void this.#begin().catch((error: unknown) => this.#fail(error)));
  }

  /** Resolves when nothing of it runs any more, or when it is no longer ours. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  get running(): ProcessRun | undefined {
    return this.#process?.isOver === false ? this.#process : undefined;
  }

  /** Its name in the pod. */
  get name(): string {
    return this.#run.container.name;
  }

  /** Runs a command beside its process; undefined while that does not run. */
  exec(command: readonly string[], interaction: Interaction): RunCommand | undefined {
    const [running, ready] = [this.running, this.#ready];
    if (running === undefined || ready === undefined) return undefined;
    const { launch, commandOf = (same) => same } = ready;
    const { cgroup } = running.facts;
    const join = cgroup === undefined ? undefined : new Cgroup(cgroup).join;
    const { tty } = interaction;
    const asked = { command: commandOf(command, interaction), launch, join, tty, gone: this.gone };
    return (streams) => runCommand(asked, streams);
  }

  /** Joins its process; undefined while that does not run. */
  attach(): RunCommand | undefined {
    if (this.running === undefined) return undefined;
    const { container } = this.#run;
    const shows = container.stdin === true && !this.#hasClients ? "everything" : "what follows";
    this.#hasClients = true;
    const run = { container, folder: this.#folder, log: this.log, shows, input: this.#input } as const;
    return (streams) => attach(run, streams);
  }

  stop(grace: Millis): void {
    this.#stopWithin = Math.min(this.#stopWithin ?? grace, grace);
    this.running?.stop(grace);
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#voice.fallSilent();
    this.#process?.letGo();
    this.#conclude();
  }

  async #begin(): Promise<void> {
    const found = await this.#folder.find(this.#world.boot);
    if (this.#isAbandoned) return;
    if (found.is === "alive") await this.#adopt(found);
    else if (found.is === "ended") await this.#report(found);
    else if (this.#run.runningSince !== undefined) this.#lose(this.#run.runningSince);
    else await this.#start();
  }

  /** It ran, and nothing is known of how it ended: the machine was started anew, or somebody cleared its folder away. */
  #lose(at: number): void {
    this.#voice.tell({ is: "running", imageId: "", at });
    const now = this.#world.clock.now();
    this.#conclude({ is: "exited", code: unknownEnd, reason: "Unknown", at: now, isBlameless: true });
  }

  /** It ended while no agent looked. */
  async #report({ facts, end, supervisor }: Extract<RunFound, { is: "ended" }>): Promise<void> {
    if (supervisor !== undefined) await endFamily({ supervisor, cgroup: facts.cgroup });
    const exit = await exitOfRun(this.#run.container, { end, facts, log: this.log });
    this.#voice.tell({ is: "running", imageId: facts.imageId, at: facts.startedAt });
    this.#conclude(exit);
  }

  async #adopt({ facts, supervisor }: Extract<RunFound, { is: "alive" }>): Promise<void> {
    const running = await this.#take(facts, supervisor);
    if (running === undefined) return;
    this.#endLifeWatch = await watchLife(this.#folder.file("life"), () => void running.finish());
    this.#tellRunning(facts);
    // Its environment was not written down, and is made again for probes that need it.
    const prepared = await this.#prepare();
    this.#ready = prepared.is === "ready" ? prepared : undefined;
    this.#live(running, prepared.is === "ready" ? prepared : undefined);
  }

  async #start(): Promise<void> {
    const prepared = this.#isUnwanted() ? undefined : await this.#prepare();
    if (prepared === undefined || this.#isUnwanted()) return this.#conclude();
    if (prepared.is === "refused") return this.#conclude(prepared);
    this.#voice.tell({ is: "present" });
    const { launch, notes, unenforced } = prepared;
    if (unenforced !== undefined && this.#run.attempt === 0) {
      this.#voice.note("Normal", "SecurityContextNotEnforced", unenforced);
    }
    const beginning = { world: this.#world, run: this.#run, folder: this.#folder, launch, notes };
    const begun = await this.#world.starts.pass(() => beginRun(beginning));
    if (begun === undefined) return this.#conclude();
    if (begun.is === "broken") return this.#break(begun.message);
    this.#ready = prepared;
    this.#input = begun.input;
    const running = await this.#take(begun.facts, begun.supervisor);
    if (running === undefined) return;
    void begun.ended.then(() => running.finish());
    await this.#welcome(running, prepared);
  }

  /** It is said to run when its first hook is done. */
  async #welcome(running: ProcessRun, ready: Ready): Promise<void> {
    const fault = this.#isUnwanted() ? undefined : await running.welcome(this.#targetOf(running, ready));
    if (running.isOver) return;
    this.#tellRunning(running.facts);
    if (fault === undefined) return this.#live(running, ready);
    this.#voice.failure("its postStart hook", fault);
    this.#voice.note("Warning", "FailedPostStartHook", "PostStartHook failed");
    this.#voice.note("Normal", "Killing", "FailedPostStartHook");
    running.stop();
  }

  /** A process that runs is ours from here on, unless nobody of us is left to have it. */
  async #take(facts: RunFacts, supervisor: ProcessIdentity): Promise<ProcessRun | undefined> {
    const { log } = this;
    const [world, run, folder, voice] = [this.#world, this.#run, this.#folder, this.#voice];
    const onEnd = (exit: ContainerEvent): void => {
      // It may have been faster than whoever says that it runs.
      this.#tellRunning(facts);
      this.#conclude(exit);
    };
    const running = new ProcessRun({ world, run, folder, voice, log, facts, supervisor, onEnd });
    this.#process = running;
    if (this.#isAbandoned) running.letGo();
    else await running.watch();
    return running.isOver ? undefined : running;
  }

  #tellRunning({ imageId, startedAt }: RunFacts): void {
    if (this.#isToldRunning) return;
    this.#isToldRunning = true;
    this.#voice.tell({ is: "running", imageId, at: startedAt });
  }

  #live(running: ProcessRun, ready: Ready | undefined): void {
    running.live(this.#targetOf(running, ready));
    // Somebody may have changed their mind while it began.
    if (this.#stopWithin !== undefined && !running.isOver) running.stop(this.#stopWithin);
  }

  #targetOf({ facts }: ProcessRun, ready: Ready | undefined): ReturnType<typeof checkTargetOf> {
    return checkTargetOf({ run: this.#run, setup: this.#setup, cgroup: facts.cgroup, ready });
  }

  /** What cannot be made ready now may be later: the container waits. */
  async #prepare(): Promise<Preparation> {
    try {
      return await this.#world.setups.prepare(this.#run.pod, this.#run.container, this.#setup);
    } catch (error) {
      this.#voice.failure("preparing it", error);
      const waiting = { reason: "CreateContainerError", message: wordsOf(error) };
      return { is: "refused", ...waiting, meanwhile: waiting };
    }
  }

  #break(message: string): void {
    const at = this.#world.clock.now();
    this.#conclude({ is: "exited", code: startError, reason: "StartError", message, at, hasNotRun: true });
  }

  #fail(error: unknown): void {
    if (this.#isAbandoned) return;
    this.#voice.failure("starting it", error);
    if (this.#process === undefined) this.#break(wordsOf(error));
    else this.#process.kill();
  }

  /** The last event of this run, if there is anything to tell. */
  #conclude(event?: ContainerEvent): void {
    this.#endLifeWatch?.();
    this.#input?.close();
    this.log.end();
    if (event !== undefined) this.#voice.tell(event);
    this.#gone.resolve();
  }

  #isUnwanted(): boolean {
    return this.#stopWithin !== undefined || this.#isAbandoned;
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
